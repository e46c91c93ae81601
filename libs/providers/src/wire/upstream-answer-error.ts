/**
 * An answer that is no success, as it came over the wire. It never leaves this lib: `classifyFailure` reads
 * it, and what callers get is one of our own errors.
 */
export class UpstreamAnswerError extends Error {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    /** The parsed body when it is JSON. */
    readonly body: unknown,
  ) {
    super(`answered ${status}`);
    this.name = 'UpstreamAnswerError';
  }
}

/**
 * A success by its status that holds no result: empty, HTML, cut off, or an error in the place of one. The
 * body is kept for its structured codes (an overload reported inside a 200).
 */
export class NoResultError extends Error {
  constructor(readonly body?: unknown) {
    super('the answer holds no result');
    this.name = 'NoResultError';
  }
}
