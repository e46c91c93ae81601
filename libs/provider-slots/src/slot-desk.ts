import { randomBytes } from 'node:crypto';
import { Lease, type HoldOutcome, type LeaseOwner, type Refusal } from './lease';
import type { LeaseKeeper } from './lease-keeper';
import type { LocalSlots } from './local-slots';
import { isRedisAway, type RedisOutage } from './redis-outage';
import { PlaceConflictError } from './slot-errors';
import type { SlotMetrics } from './slot-metrics';
import { type AnyRefusal, type AskMode, type StoredRequest, toStored } from './slot-records';
import type { BlockedBy, SlotRequest } from './slot-request';
import type { SlotStore } from './slot-store';

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
  /** One per attempt; a claim of the same attempt repeats it. */
  readonly nonce: string;
  readonly channel?: string;
  readonly signal?: AbortSignal;
}

interface OwedRelease {
  readonly placeId: string;
  readonly leaseId: string;
}

/** Turns questions into leases, from Redis or, while it is away, from this process alone. */
export class SlotDesk implements LeaseOwner {
  private owed: OwedRelease[] = [];
  private newestId = 0;

  constructor(
    private readonly store: SlotStore,
    private readonly keeper: LeaseKeeper,
    private readonly local: LocalSlots,
    private readonly outage: () => RedisOutage,
    private readonly metrics: SlotMetrics,
    private readonly leaseMs: number,
  ) {}

  static newNonce(): string {
    return randomBytes(9).toString('base64url');
  }

  /** @throws PlaceConflictError */
  async ask(ask: Ask): Promise<Answer> {
    const stored = toStored(ask.request, ask.nonce);
    while (!this.outage().isOn) {
      try {
        return await this.askStore(ask, stored);
      } catch (error) {
        if (!isRedisAway(error)) throw error;
        this.outage().begin(error);
      }
    }
    return (await this.askLocally(ask, stored)) ?? this.ask(ask);
  }

  async giveBack(lease: Lease, outcome: HoldOutcome): Promise<void> {
    this.keeper.remove(lease);
    this.local.noteRelease();
    await this.tell(lease, async () => {
      const holdMs = await this.store.releaseSlot(lease.placeId, lease.leaseId, outcome);
      if (holdMs !== null) this.metrics.ended(lease, holdMs);
    });
  }

  async refuse(lease: Lease, refusal: Refusal): Promise<void> {
    this.keeper.remove(lease);
    this.local.noteRelease();
    await this.tell(lease, () => this.store.refuseSlot(lease.placeId, lease.leaseId, refusal));
  }

  /** What was given back while Redis was away. */
  async settleDebts(): Promise<void> {
    for (const owed of [...this.owed]) {
      await this.store.releaseSlot(owed.placeId, owed.leaseId, 'aborted');
      this.owed = this.owed.filter((one) => one !== owed);
    }
  }

  private async tell(lease: Lease, command: () => Promise<void>): Promise<void> {
    const { placeId, leaseId } = lease;
    if (this.outage().isOn) {
      this.owed.push({ placeId, leaseId });
      return;
    }
    try {
      await command();
    } catch (error) {
      if (!isRedisAway(error)) throw error;
      this.owed.push({ placeId, leaseId });
      this.outage().begin(error);
    }
  }

  private async askStore({ request, mode, channel }: Ask, stored: StoredRequest): Promise<Answer> {
    const sentAt = Date.now();
    const reply = await this.store.acquireSlot(stored, mode, channel);
    if (reply.outcome === 'conflict') throw new PlaceConflictError(request.placeId);
    if (reply.outcome !== 'granted') {
      this.metrics.blocked(request, reply.cap);
      return toBlocked(reply.outcome, reply);
    }
    this.metrics.granted(request, reply.waitedMs);
    return { outcome: 'granted', lease: this.newLease(stored, reply.leaseId, reply.ticket, sentAt, false) };
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
        const id = this.nextLocalId();
        return {
          outcome: 'granted',
          lease: this.newLease(stored, id, request.ticket ?? id, Date.now(), true),
        };
      }
      if (mode === 'try') {
        return { outcome: 'busy', blockedBy, retryAfterMs: USUAL_RETRY_MS, ticket: '', turnover: '' };
      }
      // The job's own queue is away too, so there is nowhere to park.
      await Promise.race([this.local.untilRelease(signal), this.outage().untilEnd(signal)]);
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
    this.newestId = Math.max(this.newestId, Number(leaseId));
    const { placeId, nonce, caps, group, work } = stored;
    const leaseMs = stored.leaseMs ?? this.leaseMs;
    const record = { placeId, leaseId, nonce, caps, group, ticket, work, leaseMs };
    const lease = new Lease(record, this, degraded, at + leaseMs);
    this.keeper.add(lease);
    return lease;
  }

  /** Above what Redis gave last, at random within the next second of its numbers. */
  private nextLocalId(): string {
    const base = this.newestId || Date.now() * 1_000;
    return String(base + 1 + Math.floor(Math.random() * 1_000_000));
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
