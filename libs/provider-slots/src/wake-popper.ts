import { setMaxListeners } from 'node:events';
import { Logger } from '@nestjs/common';
import { delay } from '@app/kernel';
import type Redis from 'ioredis';
import type { SlotStore } from './slot-store';
import type { WakeResult } from './slots-options';

interface Wake {
  readonly placeId: string;
  readonly leaseId: string;
  readonly wake: string;
}

const FIRST_AGAIN_MS = 5;
const LAST_AGAIN_MS = 640;
const BLOCK_SECONDS = 5;
/** An answer later than this after its time-out will not come. */
const DEAD_LINE_MS = 2_000;
const RETRY_MS = 250;

/**
 * Takes wakes off the shared list, each by one process, and wakes the parked place: again after 5, 10, 20 … ms
 * for as long as the offer stands unclaimed. The store puts a wake on the list anew when its popper died.
 */
export class WakePopper {
  private readonly logger = new Logger('ProviderSlots');
  private readonly stopping = new AbortController();
  private readonly inHand = new Set<string>();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly store: SlotStore,
    private readonly onWake: (wake: string, placeId: string) => Promise<WakeResult>,
  ) {}

  start(): void {
    // Each wake in hand listens for the stop, and many slots may come free at once.
    setMaxListeners(0, this.stopping.signal);
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopped'));
    this.redis.disconnect();
    // ioredis leaves a command without any answer when it is disconnected between two tries to connect.
    await Promise.race([this.loop, delay(RETRY_MS)]);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        const popped = await this.pop();
        if (popped) void this.handle(JSON.parse(popped[1]) as Wake);
      } catch {
        // The connection went away under the command; ioredis is reconnecting.
        await delay(RETRY_MS, this.stopping.signal).catch(() => undefined);
      }
    }
  }

  /** A line that went dead under the command would never tell; then the connection is made anew. */
  private async pop(): Promise<[string, string] | null> {
    const watchdog = setTimeout(() => this.redis.disconnect(true), BLOCK_SECONDS * 1_000 + DEAD_LINE_MS);
    try {
      return await this.redis.blpop(this.store.wakesKey, BLOCK_SECONDS);
    } finally {
      clearTimeout(watchdog);
    }
  }

  private async handle(wake: Wake): Promise<void> {
    if (this.inHand.has(wake.leaseId)) return;
    this.inHand.add(wake.leaseId);
    try {
      for (let againMs = FIRST_AGAIN_MS; !this.stopping.signal.aborted; againMs *= 2) {
        if ((await this.onWake(wake.wake, wake.placeId)) === 'gone') {
          await this.store.leavePlace(wake.placeId, wake.leaseId);
          return;
        }
        await delay(Math.min(againMs, LAST_AGAIN_MS), this.stopping.signal);
        if (!(await this.store.confirmOffer(wake.placeId, wake.leaseId))) return;
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) {
        this.logger.warn(
          { err: error as Error },
          `Waking place ${wake.placeId} failed; the sweep announces it again`,
        );
      }
    } finally {
      this.inHand.delete(wake.leaseId);
    }
  }
}
