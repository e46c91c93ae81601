/**
 * Base of every error this codebase throws on purpose. `code` is the public,
 * stable name: the HTTP filter, the metrics and the job processors all switch on
 * it, so a code may be added but never renamed.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;

  /** Whether the same call may succeed later without any change by the caller. */
  abstract readonly retryable: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Facts a client may see beside the message. Never a secret, never an upstream body. */
  facts(): Readonly<Record<string, unknown>> {
    return {};
  }
}
