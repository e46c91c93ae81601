import { AppError } from '@app/kernel';

/**
 * Thrown inside a Bull processor to put the job back: the backoff strategy reads `countdownMs`. It is the
 * only throw that does not end the job, so the failure hook ignores it by its class.
 */
export class PutBackError extends Error {
  constructor(
    readonly countdownMs: number,
    options?: ErrorOptions,
  ) {
    super('The job was put back', options);
    this.name = 'PutBackError';
  }
}

/** Nothing that blocks the job moved within its whole budget of tries. */
export class CapacityExhaustedError extends AppError {
  readonly code = 'capacity_exhausted';
  readonly retryable = false;
}

/** Bull gave the job up because its worker died too often. */
export class WorkerLostError extends AppError {
  readonly code = 'worker_lost';
  readonly retryable = false;

  constructor() {
    super('The worker died too often while it ran this; a retry starts at the last checkpoint');
  }
}

/** Reason of an aborted attempt: somebody cancelled, deleted or replaced what it works on. */
export class JobCancelledError extends Error {
  constructor() {
    super('The work was cancelled');
    this.name = 'JobCancelledError';
  }
}

/** Reason of an aborted attempt: this process stops. */
export class WorkerStoppingError extends Error {
  constructor() {
    super('The worker is stopping');
    this.name = 'WorkerStoppingError';
  }
}
