import { Logger } from '@nestjs/common';
import { AttemptNumbers } from './attempt-numbers';
import { Lease, type HoldOutcome, type LeaseOwner, type Refusal } from './lease';
import type { LeaseKeeper } from './lease-keeper';
import type { LocalSlots } from './local-slots';
import { isRedisAway, type RedisOutage } from './redis-outage';
import { PlaceConflictError, SlotsStoppedError } from './slot-errors';
import type { SlotMetrics } from './slot-metrics';
import { type AnyRefusal, type AskMode, type StoredRequest, toStored } from './slot-records';
import type { BlockedBy, SlotRequest } from './slot-request';
import type { SlotStore } from './slot-store';
import { toOutlook } from './wait-estimate';

/** Retry hint when nothing better is known, in ms. */
const USUAL_RETRY_MS = 1_000;

export interface Blocked {
  readonly outcome: 'busy' | 'parked';
  readonly blockedBy: BlockedBy;
  readonly retryAfterMs: number;
  /** Of a parked place; '' otherwise. */
  readonly ticket: string;
  readonly turnover: string;
}

export type Answer = { readonly outcome: 'granted'; readonly lease: Lease } | Blocked;

export interface Ask {
  readonly request: SlotRequest;
  readonly mode: AskMode;
  readonly channel?: string;
  readonly signal?: AbortSignal;
}

/** Turns questions into leases, from Redis or, while it is away, from this process alone. */
export class SlotDesk implements LeaseOwner {
  /** Nonce to place: attempts of which the store may know more than it should. */
  private readonly doubtful = new Map<string, string>();
  private readonly logger = new Logger('ProviderSlots');
  private readonly numbers = new AttemptNumbers();

  constructor(
    private readonly store: SlotStore,
    private readonly keeper: LeaseKeeper,
    private readonly local: LocalSlots,
    private readonly outage: () => RedisOutage,
    private readonly metrics: SlotMetrics,
    private readonly leaseMs: number,
  ) {}

  /** @throws PlaceConflictError, SlotsStoppedError */
  async ask(ask: Ask): Promise<Answer> {
    for (;;) {
      ask.signal?.throwIfAborted();
      // A closed connection refuses at once: asking it again and again would leave this process no other turn.
      if (this.outage().isClosed) throw new SlotsStoppedError();
      // One nonce per attempt, so that the store can tell a command that comes late from a new wish.
      const stored = toStored(ask.request, this.numbers.nextNonce());
      const shared = this.outage().isOn ? undefined : await this.askShared(ask, stored);
      const answer = shared ?? (await this.askLocally(ask, stored));
      if (answer) return answer;
    }
  }

  async giveBack(lease: Lease, outcome: HoldOutcome): Promise<void> {
    this.keeper.remove(lease);
    this.local.noteChange();
    await this.tell(lease, async () => {
      const holdMs = await this.store.releaseSlot(lease.placeId, lease.leaseId, outcome);
      if (holdMs !== null) this.metrics.ended(lease, holdMs);
    });
  }

  async refuse(lease: Lease, refusal: Refusal): Promise<void> {
    this.keeper.remove(lease);
    this.local.noteChange();
    await this.tell(lease, () => this.store.refuseSlot(lease.placeId, lease.leaseId, refusal));
  }

  /** Redis is back: takes back what attempts may have got there that are over, or run on under a local lease. */
  async settleDoubts(): Promise<void> {
    for (const [nonce, placeId] of [...this.doubtful]) {
      const lease = this.keeper.leases.get(placeId);
      // One that still runs is told to the store as what it is.
      if (lease?.record.nonce !== nonce) await this.store.disownAttempt(placeId, nonce);
      this.doubtful.delete(nonce);
    }
  }

  private async tell(lease: Lease, command: () => Promise<void>): Promise<void> {
    const { placeId, nonce } = lease.record;
    if (this.outage().isOn) {
      this.doubtful.set(nonce, placeId);
      return;
    }
    try {
      await command();
    } catch (error) {
      this.doubtful.set(nonce, placeId);
      if (isRedisAway(error)) return this.outage().begin(error);
      // Work that is done must not fail for that: its lease runs out by itself.
      this.logger.error({ err: error as Error }, `Giving back place ${placeId} failed`);
    }
  }

  /** Undefined: Redis is away, ask again. */
  private async askShared(ask: Ask, stored: StoredRequest): Promise<Answer | undefined> {
    try {
      return await this.askStore(ask, stored);
    } catch (error) {
      if (!isRedisAway(error)) throw error;
      this.doubtful.set(stored.nonce, stored.placeId);
      this.outage().begin(error);
      return undefined;
    }
  }

  private async askStore({ request, mode, channel }: Ask, stored: StoredRequest): Promise<Answer> {
    const sentAt = Date.now();
    const reply = await this.store.acquireSlot(stored, mode, channel);
    if (reply.outcome === 'disowned') throw new Error('An attempt that asks cannot have been given up');
    if (reply.outcome === 'conflict') throw new PlaceConflictError(request.placeId);
    if (reply.outcome === 'parked' || reply.outcome === 'busy') {
      this.metrics.blocked(request, reply.cap);
      if (reply.outcome === 'parked' && this.metrics.isOn) void this.predict(request.placeId);
      return toBlocked(reply.outcome, reply);
    }
    this.metrics.granted(request, reply);
    return { outcome: 'granted', lease: this.newLease(stored, reply.leaseId, reply.ticket, sentAt, false) };
  }

  /** Writes down the first prediction of a wait, for nobody but the metric that tells how true it was. */
  private async predict(placeId: string): Promise<void> {
    try {
      const view = await this.store.viewOutlook(placeId);
      const estimatedMs = view && toOutlook(view).estimatedMs;
      if (estimatedMs !== null) await this.store.notePrediction(placeId, estimatedMs);
    } catch {
      // Redis went away meanwhile; the next command of somebody who needs an answer finds that out.
    }
  }

  /** Undefined: Redis is back, ask there. */
  private async askLocally(
    { request, mode, signal }: Ask,
    stored: StoredRequest,
  ): Promise<Answer | undefined> {
    while (this.outage().isOn) {
      signal?.throwIfAborted();
      const blockedBy = this.local.blockerOf(request);
      if (!blockedBy) {
        this.metrics.request(request, 'degraded');
        const id = this.numbers.nextLocalId();
        return {
          outcome: 'granted',
          lease: this.newLease(stored, id, request.ticket ?? id, Date.now(), true),
        };
      }
      if (mode === 'try') {
        return { outcome: 'busy', blockedBy, retryAfterMs: USUAL_RETRY_MS, ticket: '', turnover: '' };
      }
      // The job's own queue is away too, so there is nowhere to park.
      await this.local.untilChange(signal);
    }
    return undefined;
  }

  private newLease(
    stored: StoredRequest,
    leaseId: string,
    ticket: string,
    at: number,
    degraded: boolean,
  ): Lease {
    if (!degraded) this.numbers.heard(Number(leaseId));
    const { placeId, nonce, caps, group, work } = stored;
    const leaseMs = stored.leaseMs ?? this.leaseMs;
    const record = { placeId, leaseId, nonce, caps, group, ticket, work, leaseMs, degraded };
    const lease = new Lease(record, this, at + leaseMs);
    this.keeper.add(lease);
    return lease;
  }
}

function toBlocked(outcome: 'busy' | 'parked', reply: AnyRefusal): Blocked {
  const { cap, reason, gateReason, limit, retryAfterMs, ticket, turnover } = reply;
  return {
    outcome,
    blockedBy: { cap, reason, limit: limit ?? null, ...(gateReason === undefined ? {} : { gateReason }) },
    retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) === 1 ? USUAL_RETRY_MS : Math.ceil(retryAfterMs),
    ticket: ticket ?? '',
    turnover: turnover ?? '',
  };
}
