import { delay, Turns } from '@app/kernel';
import type { Lease } from './lease';
import type { LeaseKeeper } from './lease-keeper';
import type { OfferChannel } from './offer-channel';
import type { Blocked, SlotDesk } from './slot-desk';
import { SlotsStoppedError } from './slot-errors';
import type { SlotRequest } from './slot-request';

/** Longest wait for the channel. */
const SUBSCRIBE_MS = 1_500;

/** Asks of one process that are on their way at once, and how long one of them counts: see `newcomers`. */
const NEWCOMERS_AT_ONCE = 16;
const NEWCOMERS_LONGEST_MS = 100;

export interface WaitBounds {
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal;
}

/** Waits in place: keeps the place, is told of its offer, confirms it. Nothing is polled. */
export class PlaceWaiter {
  private readonly bells = new Set<Bell>();
  /** Hundreds who come at once must not keep those back who give a slot back or claim the one they were offered. */
  private readonly newcomers = new Turns(NEWCOMERS_AT_ONCE, NEWCOMERS_LONGEST_MS);
  private isStopped = false;

  constructor(
    private readonly desk: SlotDesk,
    private readonly keeper: LeaseKeeper,
    private readonly channel: OfferChannel,
    private readonly onChannelFailure: (error: unknown) => void,
  ) {}

  /**
   * The lease, or what blocked to the last. The place still waits then: the caller leaves or parks it. So it
   * does when this throws, which it does with the signal's reason.
   */
  async wait(request: SlotRequest, { maxWaitMs, signal }: WaitBounds): Promise<Lease | Blocked> {
    // Without it the heartbeat finds the offer, within a second.
    const giveUp = new AbortController();
    const late = delay(SUBSCRIBE_MS, giveUp.signal).catch(() => undefined);
    await Promise.race([this.channel.open().catch(this.onChannelFailure), late]);
    giveUp.abort();
    const ask = { request, mode: 'wait', channel: this.channel.name, signal } as const;
    const bell = new Bell(maxWaitMs, signal);
    this.bells.add(bell);
    this.keeper.addWaiter(request.placeId, () => bell.ring());
    let giveTurnBack: (() => void) | undefined;
    try {
      giveTurnBack = await this.newcomers.take(signal);
      for (;;) {
        signal?.throwIfAborted();
        if (this.isStopped) throw new SlotsStoppedError();
        const heard = bell.rings;
        const answer = await this.desk.ask(ask);
        giveTurnBack();
        if (answer.outcome === 'granted') return answer.lease;
        if (bell.isTimedOut) return answer;
        await bell.untilRungSince(heard);
      }
    } finally {
      this.keeper.removeWaiter(request.placeId);
      giveTurnBack?.();
      this.bells.delete(bell);
      bell.close();
    }
  }

  /** Everybody who waits is sent away with SlotsStoppedError. */
  stop(): void {
    this.isStopped = true;
    for (const bell of this.bells) bell.ring();
  }
}

/** Rings when there is a reason to ask again; what rang before anyone listened is not lost. */
class Bell {
  rings = 0;
  isTimedOut = false;
  private wake: (() => void) | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = (): void => this.ring();

  constructor(
    maxWaitMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.timer = setTimeout(
      () => {
        this.isTimedOut = true;
        this.ring();
      },
      Math.min(maxWaitMs, 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  ring(): void {
    this.rings += 1;
    this.wake?.();
  }

  async untilRungSince(heard: number): Promise<void> {
    if (this.rings > heard) return;
    await new Promise<void>((resolve) => (this.wake = resolve));
  }

  close(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}
