import { AppError } from '@app/kernel';
import type { BlockedBy } from './slot-request';

/** No slot now, and the caller may not wait. Nothing was sent to the provider. */
export class SlotBusyError extends AppError {
  readonly code = 'provider_busy';
  readonly retryable = true;

  constructor(
    readonly blockedBy: BlockedBy,
    readonly retryAfterMs: number,
  ) {
    super(
      blockedBy.reason === 'gate'
        ? `The server behind "${blockedBy.cap}" asked for a pause`
        : `All slots of "${blockedBy.cap}" are taken`,
    );
  }

  override facts(): Readonly<Record<string, unknown>> {
    return { blocked_by: this.blockedBy.reason };
  }
}

/** The place waits in the queue; the job goes back to its own and asks again when woken. */
export class SlotParkedError extends AppError {
  readonly code = 'slot_parked';
  readonly retryable = true;

  constructor(
    readonly placeId: string,
    readonly ticket: string,
    readonly blockedBy: BlockedBy,
    /** Changes whenever what blocks has moved since. */
    readonly turnover: string,
    readonly retryAfterMs: number,
  ) {
    super(`Waits for a slot of "${blockedBy.cap}"`);
  }
}

/** Waited in place for as long as it may; the place is given up. */
export class SlotWaitTimeoutError extends AppError {
  readonly code = 'slot_wait_timeout';
  readonly retryable = true;

  constructor(
    readonly blockedBy: BlockedBy,
    readonly maxWaitMs: number,
  ) {
    super(`No slot of "${blockedBy.cap}" within ${maxWaitMs} ms`);
  }
}

/** This process is shutting down; whoever waits in it waits in vain. */
export class SlotsStoppedError extends AppError {
  readonly code = 'slots_stopped';
  readonly retryable = true;

  constructor() {
    super('The slots of this process are shutting down');
  }
}

/** The place was taken over by a re-run: this holder frees nothing and writes nothing any more. */
export class LeaseLostError extends AppError {
  readonly code = 'lease_lost';
  readonly retryable = true;

  constructor(
    readonly placeId: string,
    readonly leaseId: string,
  ) {
    super(`Lease ${leaseId} of place "${placeId}" was taken over`);
  }
}

/** The request or the module's options make no sense; `option` says which part. */
export class BadSlotRequestError extends AppError {
  readonly code: string = 'bad_slot_request';
  readonly retryable = false;

  constructor(
    readonly option: string,
    readonly problem: string,
  ) {
    super(`${option} ${problem}`);
  }

  override facts(): Readonly<Record<string, unknown>> {
    return { option: this.option };
  }
}

/** The place is held at this moment with other caps, so the two cannot be the same wish. */
export class PlaceConflictError extends BadSlotRequestError {
  override readonly code = 'place_conflict';

  constructor(readonly placeId: string) {
    super('caps', `differ from those that place "${placeId}" is held with`);
  }
}
