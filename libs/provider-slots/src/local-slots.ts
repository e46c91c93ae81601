import type { Lease } from './lease';
import type { BlockedBy, SlotRequest } from './slot-request';

/**
 * The caps while Redis is away: the same limits, counted over what this process alone holds. Leases from
 * before the outage count too, so that the process does not double its share.
 */
export class LocalSlots {
  private readonly wakes: (() => void)[] = [];

  constructor(private readonly leases: ReadonlyMap<string, Lease>) {}

  /** The first full cap, or undefined when there is room. */
  blockerOf(request: SlotRequest): BlockedBy | undefined {
    for (const { name, limit } of request.caps) {
      if (limit !== null && this.countOn(name) >= limit) return { cap: name, reason: 'cap', limit };
    }
    return undefined;
  }

  /** Resolves at the next release, or when Redis is back; the oldest waiter is told first. */
  async untilChange(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      signal?.addEventListener('abort', done, { once: true });
      this.wakes.push(done);
    });
  }

  noteChange(): void {
    for (const wake of this.wakes.splice(0)) wake();
  }

  private countOn(cap: string): number {
    let count = 0;
    for (const { record } of this.leases.values()) {
      if (record.caps.some(({ name }) => name === cap)) count += 1;
    }
    return count;
  }
}
