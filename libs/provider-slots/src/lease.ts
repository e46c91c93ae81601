import { LeaseLostError } from './slot-errors';
import type { LeaseRecord } from './slot-records';

/** How a hold ended. Only `ok` says how long holds take. */
export type HoldOutcome = 'ok' | 'failed' | 'aborted';

export interface Refusal {
  /** How long the endpoint asked us to pause. */
  readonly forMs: number;
  /** Name of the refusal, e.g. `rate_limited`. */
  readonly reason: string;
  /** Name of the endpoint's cap, whose gate closes. */
  readonly endpointCap: string;
}

/** What a lease needs from whoever granted it. */
export interface LeaseOwner {
  giveBack(lease: Lease, outcome: HoldOutcome): Promise<void>;
  refuse(lease: Lease, refusal: Refusal): Promise<void>;
}

/**
 * The timed right to one slot in each of a request's caps. It is renewed by itself until it is given back.
 *
 *     taken over by a re-run     `signal` is aborted with LeaseLostError: stop, free nothing, write nothing
 *     renewed too late, no room  it goes on as an overrun: paid work is never ended, only never hidden
 */
export class Lease {
  /** Made at first need: most holders never look. */
  private controller: AbortController | undefined;
  private readonly overrunListeners: (() => void)[] = [];
  private lost: LeaseLostError | undefined;
  private isOver = false;
  private isOverrun = false;
  /** For the keeper: whether the store knows of it. */
  isStored: boolean;

  constructor(
    readonly record: LeaseRecord,
    private readonly owner: LeaseOwner,
    /** Until when it is valid without another renewal, in ms of this process's clock. */
    public deadlineAt: number,
  ) {
    this.isStored = !record.degraded;
  }

  /** Granted by this process alone, because Redis was away. */
  get degraded(): boolean {
    return this.record.degraded;
  }

  get leaseId(): string {
    return this.record.leaseId;
  }

  get placeId(): string {
    return this.record.placeId;
  }

  get ticket(): string {
    return this.record.ticket;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.lost) this.controller.abort(this.lost);
    return this.controller.signal;
  }

  get ended(): boolean {
    return this.isOver;
  }

  /** Gives the slots back. Again, or after the lease was lost, it does nothing. Never throws. */
  async release(outcome: HoldOutcome = 'ok'): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    await this.owner.giveBack(this, outcome);
  }

  /** The provider asked for a pause: gives the slots back and closes the endpoint's gate in one step. */
  async refuse(refusal: Refusal): Promise<void> {
    this.isOver = true;
    await this.owner.refuse(this, refusal);
  }

  /** Called when the lease ran out unrenewed, or could be taken again only above its cap. The work goes on. */
  onOverrun(listener: () => void): void {
    this.overrunListeners.push(listener);
  }

  /** For the keeper: the lease may be over its cap now. */
  noteOverrun(): void {
    if (this.isOverrun) return;
    this.isOverrun = true;
    for (const listener of this.overrunListeners) listener();
  }

  /** For the keeper: it is renewed. */
  noteRenewed(deadlineAt: number): void {
    this.isOverrun = false;
    this.deadlineAt = deadlineAt;
  }

  /** For the keeper: the place belongs to somebody else now. */
  lose(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.lost = new LeaseLostError(this.placeId, this.leaseId);
    this.controller?.abort(this.lost);
  }
}
