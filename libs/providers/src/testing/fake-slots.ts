import { AppError } from '@app/kernel';
import type { Lease, ProviderSlots, SlotRequest } from '@app/provider-slots';
import type { RequestScope } from '@app/request-scope';

export class FakeParkedError extends AppError {
  readonly code = 'slot_parked';
  readonly retryable = true;
}

export class FakeBusyError extends AppError {
  readonly code = 'provider_busy';
  readonly retryable = true;
}

export interface FakeRefusal {
  readonly forMs: number;
  readonly reason: string;
  readonly endpointCap: string;
}

/**
 * Slots without a store for unit tests of what calls do with them: always room, and a gate that closes at a
 * refusal. Behind it a job with nothing paid for parks, a later call waits (here: not at all), a request is
 * refused. The real semaphore is used wherever its behaviour is the subject.
 */
export class FakeSlots {
  readonly requests: SlotRequest[] = [];
  readonly refusals: FakeRefusal[] = [];
  held = 0;
  /** Grants as while Redis is away: on this process's word, without gates. */
  degraded = false;
  /** Parks also who has paid calls behind it, as when too many wait in place. */
  parksBehindGate = false;
  /** Aborted to take the current lease over. */
  takeOver = new AbortController();
  private gateClosed = false;

  constructor(private readonly requestScope: RequestScope) {}

  /** As the part of the semaphore that calls use. */
  asSlots(): Pick<ProviderSlots, 'withSlot'> {
    return this;
  }

  async withSlot<T>(request: SlotRequest, work: (lease: Lease) => Promise<T>): Promise<T> {
    const scope = this.requestScope.current();
    this.requests.push(request);
    if (this.gateClosed) {
      this.gateClosed = false;
      if (scope?.kind === 'http') throw new FakeBusyError('busy');
      if (scope?.kind === 'job' && (this.parksBehindGate || scope.providerCalls === 0))
        throw new FakeParkedError('parked');
    }
    if (scope?.kind === 'job') scope.providerCalls += 1;
    this.held += 1;
    try {
      return await work(this.newLease(request));
    } finally {
      this.held -= 1;
    }
  }

  private newLease(request: SlotRequest): Lease {
    const lease = {
      leaseId: String(this.requests.length),
      placeId: request.placeId,
      ticket: request.ticket ?? `t${this.requests.length}`,
      signal: this.takeOver.signal,
      degraded: this.degraded,
      refuse: (refusal: FakeRefusal) => {
        this.refusals.push(refusal);
        this.gateClosed = !this.degraded;
        return Promise.resolve();
      },
    };
    return lease as unknown as Lease;
  }
}
