import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { RequestScope } from '@app/request-scope';
import { checkLimit, checkName, checkRequest } from './check-request';
import type { Lease } from './lease';
import type { WaitBounds } from './place-waiter';
import { SlotBusyError, SlotParkedError, SlotWaitTimeoutError } from './slot-errors';
import type { Answer, Blocked } from './slot-desk';
import type { SlotRequest } from './slot-request';
import { SlotsRuntime } from './slots-runtime';
import { resolveOptions, type ResolvedOptions, type SlotsOptions } from './slots-options';
import type { Outlook, SlotsSnapshot } from './slot-views';

/** A script must not keep Redis from others for long. */
const PLACES_PER_SCRIPT = 200;

/**
 * The semaphore over all processes. What happens at a full cap follows from where the code runs:
 *
 *     in a request                         refuse
 *     in a job, before its first call      park: the job goes back to its queue
 *     in a job, later                      wait in place, then park
 */
export class ProviderSlots implements OnModuleInit, OnModuleDestroy {
  private readonly options: ResolvedOptions;
  private readonly runtime: SlotsRuntime;

  /** @throws BadSlotRequestError naming the option that is wrong. */
  constructor(
    options: SlotsOptions,
    private readonly scope: RequestScope,
  ) {
    this.options = resolveOptions(options);
    this.runtime = new SlotsRuntime(this.options);
  }

  async onModuleInit(): Promise<void> {
    // Timers and listeners made here must not carry the scope of whoever happens to call first.
    await this.scope.exit(() => this.runtime.start());
  }

  async onModuleDestroy(): Promise<void> {
    await this.runtime.stop();
  }

  /** Never waits and leaves nothing behind. @throws BadSlotRequestError, PlaceConflictError */
  async tryAcquire(request: SlotRequest): Promise<Answer> {
    const answer = await this.ask(request, 'try');
    this.runtime.metrics.request(request, answer.outcome === 'granted' ? 'granted' : 'refused');
    return answer;
  }

  /** Never waits and keeps the place; also how a parked place claims its offer. @throws BadSlotRequestError, PlaceConflictError */
  async acquireOrPark(request: SlotRequest, signal?: AbortSignal): Promise<Answer> {
    const answer = await this.ask(request, 'park', signal);
    this.runtime.metrics.request(request, answer.outcome === 'granted' ? 'granted' : 'parked');
    return answer;
  }

  /** Waits in place. @throws SlotWaitTimeoutError, the signal's reason, BadSlotRequestError, PlaceConflictError */
  async acquire(request: SlotRequest, bounds: Partial<WaitBounds> = {}): Promise<Lease> {
    const maxWaitMs = bounds.maxWaitMs ?? this.options.maxWaitMs;
    const answer = await this.waitInPlace(request, { ...bounds, maxWaitMs });
    if (!('outcome' in answer)) return answer;
    await this.leave(request.placeId).catch(() => undefined);
    throw new SlotWaitTimeoutError(answer.blockedBy, maxWaitMs);
  }

  /**
   * Runs the work under a lease, which its end releases, whatever the end.
   * @throws SlotBusyError in a request, SlotParkedError in a job, SlotWaitTimeoutError elsewhere
   */
  async withSlot<T>(
    request: SlotRequest,
    work: (lease: Lease) => Promise<T>,
    bounds: Partial<WaitBounds> = {},
  ): Promise<T> {
    bounds.signal?.throwIfAborted();
    const lease = await this.acquireByScope(request, bounds);
    const scope = this.scope.current();
    if (scope?.kind === 'job') scope.providerCalls += 1;
    try {
      const result = await work(lease);
      await lease.release('ok');
      return result;
    } catch (error) {
      await lease.release(bounds.signal?.aborted ? 'aborted' : 'failed');
      throw error;
    }
  }

  /** The waiter goes; those behind move up. A held place is left alone. */
  async leave(placeId: string): Promise<void> {
    checkName('placeId', placeId);
    await this.runtime.store.leavePlace(placeId);
  }

  /** Of a place: null when it does not wait. Of caps: for one that would ask for all of them now. */
  async outlook(target: string): Promise<Outlook | null>;
  async outlook(target: readonly [string, ...string[]]): Promise<Outlook>;
  async outlook(target: string | readonly string[]): Promise<Outlook | null> {
    if (typeof target !== 'string') {
      for (const cap of target) checkName('cap', cap);
      return this.runtime.newcomersOutlook(target);
    }
    checkName('placeId', target);
    return this.runtime.outlook(target);
  }

  /** Every known cap. Never throws: while Redis is away it says so. */
  async snapshot(): Promise<SlotsSnapshot> {
    return this.runtime.snapshot();
  }

  /** Overrides the cap's limit, or removes the override (null); in force at the next admission everywhere. */
  async setLimit(cap: string, limit: number | null): Promise<void> {
    checkName('cap', cap);
    checkLimit('limit', limit);
    await this.runtime.store.setLimit(cap, limit);
  }

  /** Of the given places, those that hold slots or are offered them. For who compares places with what they are for. */
  async heldAmong(placeIds: readonly string[]): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (let start = 0; start < placeIds.length; start += PLACES_PER_SCRIPT) {
      const page = placeIds.slice(start, start + PLACES_PER_SCRIPT);
      for (const placeId of await this.runtime.store.viewHeld(page)) held.add(placeId);
    }
    return held;
  }

  /** Every place that holds or waits, page by page; one that moves meanwhile may be missed, or seen twice. */
  async *pagesOfPlaces(): AsyncGenerator<string[]> {
    for (let skip = 0; ; skip += PLACES_PER_SCRIPT) {
      const { looked, placeIds } = await this.runtime.store.viewPlaces(skip, PLACES_PER_SCRIPT);
      if (placeIds.length > 0) yield placeIds;
      if (looked < PLACES_PER_SCRIPT) return;
    }
  }

  /** Removes a place also while it is held: what it was for has ended. Its holder, if any, learns that it lost. */
  async drop(placeId: string): Promise<boolean> {
    checkName('placeId', placeId);
    return this.runtime.store.dropPlace(placeId);
  }

  private async ask(request: SlotRequest, mode: 'try' | 'park', signal?: AbortSignal): Promise<Answer> {
    checkRequest(request);
    return this.runtime.desk.ask({ request, mode, signal });
  }

  private async acquireByScope(request: SlotRequest, bounds: Partial<WaitBounds>): Promise<Lease> {
    const scope = this.scope.current();
    if (scope?.kind === 'http' || (!scope && this.options.defaultRule === 'refuse')) {
      const answer = await this.tryAcquire(request);
      if (answer.outcome === 'granted') return answer.lease;
      throw new SlotBusyError(answer.blockedBy, await this.retryAfterMs(request, answer));
    }
    if (!scope) return this.acquire(request, bounds);
    if (scope.providerCalls > 0 && !this.tooManyWait()) {
      const maxWaitMs = bounds.maxWaitMs ?? this.options.maxWaitMs;
      const answer = await this.waitInPlace(request, { ...bounds, maxWaitMs });
      if (!('outcome' in answer)) return answer;
    }
    return grantedOr(await this.acquireOrPark(request, bounds.signal), (blocked) =>
      parked(request.placeId, blocked),
    );
  }

  /** A gate names its time; at a full cap the estimate for a newcomer is the best guess there is. */
  private async retryAfterMs({ caps }: SlotRequest, { blockedBy, retryAfterMs }: Blocked): Promise<number> {
    if (blockedBy.reason === 'gate') return retryAfterMs;
    const [first, ...others] = caps.map(({ name }) => name);
    const outlook = first ? await this.outlook([first, ...others]).catch(() => null) : null;
    return Math.max(retryAfterMs, outlook?.estimatedMs ?? 0);
  }

  /** Who waits in place takes a worker's seat; the other half must stay free for work that can run. */
  private tooManyWait(): boolean {
    const { workerConcurrency } = this.options;
    return workerConcurrency !== undefined && this.runtime.waiterCount >= Math.max(1, workerConcurrency / 2);
  }

  private async waitInPlace(request: SlotRequest, bounds: WaitBounds): Promise<Lease | Blocked> {
    checkRequest(request);
    try {
      const maxWaitMs = Math.min(bounds.maxWaitMs, request.expiresInMs ?? Infinity);
      const answer = await this.runtime.waiter.wait(request, { ...bounds, maxWaitMs });
      if (!('outcome' in answer)) this.runtime.metrics.request(request, 'waited');
      return answer;
    } catch (error) {
      await this.leave(request.placeId).catch(() => undefined);
      throw error;
    }
  }
}

function grantedOr(answer: Answer, toError: (blocked: Blocked) => Error): Lease {
  if (answer.outcome === 'granted') return answer.lease;
  throw toError(answer);
}

function parked(placeId: string, { ticket, blockedBy, turnover, retryAfterMs }: Blocked): SlotParkedError {
  return new SlotParkedError(placeId, ticket, blockedBy, turnover, retryAfterMs);
}
