import { AppError } from '@app/kernel';

/** The only place that knows HTTP statuses. A code missing here is a 500, and a test lists them all. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  validation_failed: 422,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  provider_busy: 503,
  provider_rate_limited: 503,
  provider_overloaded: 503,
  provider_quota_exhausted: 502,
  provider_rejected: 502,
  provider_failed: 502,
  provider_unreachable: 502,
  provider_timeout: 504,
  preview_deadline_exceeded: 504,
  queue_unavailable: 503,
  service_unavailable: 503,
  internal_error: 500,
  capacity_exhausted: 503,
  task_expired: 504,
  worker_lost: 502,
};

const TITLES: Readonly<Record<string, string>> = {
  validation_failed: 'The request is not valid',
  unauthorized: 'A valid API key is needed',
  forbidden: 'This key may not do that',
  not_found: 'Not found',
  conflict: 'Not possible in the present state',
  payload_too_large: 'Too large',
  unsupported_media_type: 'This type of content is not taken',
  too_many_requests: 'Too many requests',
  provider_busy: 'The provider is busy; nothing was sent',
  provider_rate_limited: 'The provider asked us to slow down',
  provider_overloaded: 'The provider is overloaded',
  provider_quota_exhausted: "The provider's quota is used up",
  provider_rejected: 'The provider rejected the call',
  provider_failed: 'The provider failed',
  provider_unreachable: 'The provider cannot be reached',
  provider_timeout: 'The provider took too long',
  preview_deadline_exceeded: 'The preview took too long',
  queue_unavailable: 'The queue cannot be reached',
  service_unavailable: 'The service is not available at the moment',
  internal_error: 'Something went wrong on our side',
  capacity_exhausted: 'No capacity within the time allowed',
  task_expired: 'Expired before it started',
  worker_lost: 'The worker was lost too often',
};

/** Sent with every 429 and 503 that knows no better time. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** RFC 9457 problem document; `code` is the stable name, further members are facts. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly request_id: string | undefined;
  readonly [fact: string]: unknown;
}

/** Every error code that can appear in a problem document or as a terminal state. */
export function problemCodes(): string[] {
  return Object.keys(STATUS_BY_CODE);
}

export function statusOfCode(code: string): number {
  return STATUS_BY_CODE[code] ?? 500;
}

export function titleOfCode(code: string): string {
  return TITLES[code] ?? code;
}

/** Builds the document for one code; a status other than the code's own is for malformed JSON alone. */
export function buildProblem(
  code: string,
  detail: string,
  requestId: string | undefined,
  facts: Readonly<Record<string, unknown>> = {},
  status: number = statusOfCode(code),
): Problem {
  return {
    ...facts,
    type: `/docs/errors/${code}`,
    title: titleOfCode(code),
    status,
    code,
    detail,
    request_id: requestId,
  };
}

/** The document for an error of ours; a code unknown here becomes an internal error that tells nothing. */
export function problemOf(error: AppError, requestId: string | undefined): Problem {
  if (!(error.code in STATUS_BY_CODE)) return internalProblem(requestId);
  return buildProblem(error.code, error.message, requestId, error.facts());
}

export function internalProblem(requestId: string | undefined): Problem {
  return buildProblem('internal_error', 'The fault is logged under the request id', requestId);
}

/** Whole seconds for `Retry-After`, or undefined where the status carries none. */
export function retryAfterSeconds(status: number, error: unknown): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const given = (error as { retryAfterMs?: unknown } | undefined)?.retryAfterMs;
  const ms = typeof given === 'number' && Number.isFinite(given) ? given : DEFAULT_RETRY_AFTER_MS;
  return Math.max(1, Math.ceil(ms / 1_000));
}
