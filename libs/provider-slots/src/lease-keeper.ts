import { Logger } from '@nestjs/common';
import type { Metrics } from '@app/observability';
import type { Lease } from './lease';
import type { SlotStore } from './slot-store';

/** Renewals per lease: one may be lost without losing the lease. */
const RENEWALS_PER_LEASE = 3;

/** How often an in-place waiter's process tells that it still stands by. */
const WAITERS_MS = 1_000;

/** Called when a waiter's place is not simply waiting any more, so that it asks again. */
export type WaiterNudge = () => void;

/**
 * Keeps every lease and every in-place waiter of this process alive: one script per interval for all of them,
 * and no timer per lease.
 */
export class LeaseKeeper {
  readonly leases = new Map<string, Lease>();
  private readonly waiters = new Map<string, WaiterNudge>();
  private readonly logger = new Logger('ProviderSlots');
  private timer: NodeJS.Timeout | undefined;
  private renewedAt = 0;

  constructor(
    private readonly store: SlotStore,
    private readonly leaseMs: number,
    private readonly onFailure: (error: unknown) => void,
    private readonly metrics?: Metrics,
  ) {}

  start(): void {
    const tickMs = Math.min(WAITERS_MS, this.leaseMs / RENEWALS_PER_LEASE);
    this.timer = setInterval(() => void this.tick(), tickMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  add(lease: Lease): void {
    const previous = this.leases.get(lease.placeId);
    this.leases.set(lease.placeId, lease);
    // A re-run in the same process: its predecessor need not wait for a renewal to learn it.
    if (previous && previous.leaseId !== lease.leaseId) this.lose(previous);
  }

  remove(lease: Lease): void {
    if (this.leases.get(lease.placeId) === lease) this.leases.delete(lease.placeId);
  }

  addWaiter(placeId: string, nudge: WaiterNudge): void {
    this.waiters.set(placeId, nudge);
  }

  removeWaiter(placeId: string): void {
    this.waiters.delete(placeId);
  }

  get waiterCount(): number {
    return this.waiters.size;
  }

  /** An offer was announced to this process. */
  nudge(placeId: string): void {
    this.waiters.get(placeId)?.();
  }

  nudgeAll(): void {
    for (const nudge of [...this.waiters.values()]) nudge();
  }

  /** Renews all leases now and tells the outcome to each. @throws when Redis is away */
  async renew(): Promise<void> {
    const leases = [...this.leases.values()];
    const waiters = [...this.waiters.keys()];
    const sentAt = (this.renewedAt = Date.now());
    if (leases.length + waiters.length === 0) return;
    const states = await this.store.renewLeases(
      leases.map(({ record }) => record),
      waiters,
    );
    for (const [index, lease] of leases.entries()) {
      const state = lease.isStored ? (states.leases[index] ?? 'unknown') : 'unknown';
      if (state !== 'unknown') this.settle(lease, state, sentAt);
      else if (!lease.ended) await this.reassert(lease, sentAt);
    }
    this.nudgeUnsettled(waiters, states.waiters);
  }

  /** The store does not know the lease: it lost its state, or the lease was granted without it. */
  private async reassert(lease: Lease, sentAt: number): Promise<void> {
    const state = await this.store.reassertLease(lease.record);
    lease.isStored = true;
    this.settle(lease, state, sentAt);
  }

  private settle(lease: Lease, state: 'held' | 'overrun' | 'lost', sentAt: number): void {
    if (lease.ended) return;
    if (state === 'lost') return this.lose(lease);
    if (state === 'overrun') lease.noteOverrun();
    else lease.noteRenewed(sentAt + lease.record.leaseMs);
  }

  private lose(lease: Lease): void {
    this.remove(lease);
    if (lease.ended) return;
    this.metrics?.leasesLostTotal.inc();
    this.logger.warn(`Lease ${lease.leaseId} of place ${lease.placeId} was taken over`);
    lease.lose();
  }

  private async tick(): Promise<void> {
    this.distrustLate();
    try {
      if (Date.now() >= this.renewedAt + this.renewMs()) return await this.renew();
      const waiters = [...this.waiters.keys()];
      if (waiters.length === 0) return;
      const states = await this.store.renewLeases([], waiters);
      this.nudgeUnsettled(waiters, states.waiters);
    } catch (error) {
      this.onFailure(error);
    }
  }

  private renewMs(): number {
    let shortestMs = this.leaseMs;
    for (const { record } of this.leases.values()) shortestMs = Math.min(shortestMs, record.leaseMs);
    return shortestMs / RENEWALS_PER_LEASE;
  }

  /** A renewal can hang; whoever trusts a lease must hear that it ran out all the same. */
  private distrustLate(): void {
    const now = Date.now();
    for (const lease of this.leases.values()) if (lease.deadlineAt < now) lease.noteOverrun();
  }

  private nudgeUnsettled(waiters: readonly string[], states: readonly string[]): void {
    waiters.forEach((placeId, index) => {
      if (states[index] !== 'waiting') this.nudge(placeId);
    });
  }
}
