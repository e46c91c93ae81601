import { AppError } from './app-error';

/** What was asked for does not exist, or belongs to another team, which is the same to the caller. */
export class NotFoundError extends AppError {
  readonly code = 'not_found';
  readonly retryable = false;

  constructor(what: string) {
    super(`There is no such ${what}`);
  }
}

/** The thing exists but is in a state in which this cannot be done to it. */
export class ConflictError extends AppError {
  readonly code = 'conflict';
  readonly retryable = false;
}

/** One wrong field of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** The request was understood but something in it is wrong; `errors` names each field. */
export class ValidationFailedError extends AppError {
  readonly code = 'validation_failed';
  readonly retryable = false;

  constructor(
    readonly errors: readonly FieldProblem[],
    options?: ErrorOptions,
  ) {
    super(errors.map(({ field, problem }) => `${field}: ${problem}`).join('; '), options);
  }

  override facts(): Record<string, unknown> {
    return { errors: this.errors };
  }
}

/** The body is larger than `limitBytes`. */
export class PayloadTooLargeError extends AppError {
  readonly code = 'payload_too_large';
  readonly retryable = false;

  constructor(readonly limitBytes: number) {
    super(`At most ${limitBytes} bytes are accepted`);
  }

  override facts(): Record<string, unknown> {
    return { limit_bytes: this.limitBytes };
  }
}

/** The content is not of a type that is taken here, whatever its name says. */
export class UnsupportedMediaTypeError extends AppError {
  readonly code = 'unsupported_media_type';
  readonly retryable = false;
}

/** No key, an unknown one or a revoked one. */
export class UnauthorizedError extends AppError {
  readonly code = 'unauthorized';
  readonly retryable = false;

  constructor() {
    super('Send a valid API key as "Authorization: Bearer <key>"');
  }
}

/** The key is valid but not for this. */
export class ForbiddenError extends AppError {
  readonly code = 'forbidden';
  readonly retryable = false;

  constructor() {
    super('This needs an admin key');
  }
}

/** More was asked than this caller may have; try again after `retryAfterMs`. */
export class TooManyRequestsError extends AppError {
  readonly code = 'too_many_requests';
  readonly retryable = true;

  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/** The queue (Redis) is away, and this cannot be done without it. */
export class QueueUnavailableError extends AppError {
  readonly code = 'queue_unavailable';
  readonly retryable = true;
  readonly retryAfterMs = 5_000;

  constructor(options?: ErrorOptions) {
    super('The queue cannot be reached at the moment', options);
  }
}
