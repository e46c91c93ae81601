import type Redis from 'ioredis';
import type { SlotStore } from './slot-store';

/** Far more than there can be work for; a bound against going round for ever. */
const MOST_ROUNDS = 10_000;

/** Works off what has fallen due, every interval, in one process at a time. */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private isSweeping = false;

  constructor(
    private readonly redis: Redis,
    private readonly store: SlotStore,
    private readonly intervalMs: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  start(): void {
    if (this.intervalMs === 0) return;
    this.timer = setInterval(() => void this.tick(), this.intervalMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Goes on until nothing is due. */
  async sweep(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS && (await this.store.sweepSlots()) > 0; round += 1);
  }

  private async tick(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    try {
      const mayI = await this.redis.set(
        `${this.store.root}:sweeper`,
        '1',
        'PX',
        Math.ceil(this.intervalMs * 0.8),
        'NX',
      );
      if (mayI === 'OK') await this.sweep();
    } catch (error) {
      this.onFailure(error);
    } finally {
      this.isSweeping = false;
    }
  }
}
