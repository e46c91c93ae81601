import { ChangeSignal } from '../change-signal';
import type { FlightEntry } from '../flight-recorder';

export interface ReleaseFilter {
  readonly kind?: string;
  readonly mark?: string;
  /** Oldest first; absent: all. */
  readonly count?: number;
}

interface HeldCall {
  readonly entry: FlightEntry;
  readonly letGo: () => void;
}

/** The calls a script told to wait until somebody releases them, oldest first. */
export class HeldCalls {
  private readonly held = new Set<HeldCall>();
  private readonly changes = new ChangeSignal();

  get size(): number {
    return this.held.size;
  }

  /** @throws the signal's reason when the caller goes away first. */
  async wait(entry: FlightEntry, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.held.delete(call);
        reject(signal.reason as Error);
      };
      const call: HeldCall = {
        entry,
        letGo: () => {
          this.held.delete(call);
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.held.add(call);
      signal.addEventListener('abort', leave, { once: true });
      this.changes.tell();
    });
  }

  /** Resolves once at least `count` are held. @throws Error when they are not within `timeoutMs` */
  async until(count: number, timeoutMs: number): Promise<void> {
    await this.changes.until(
      () => this.size >= count,
      timeoutMs,
      () => `${this.size} held`,
    );
  }

  /** @returns how many were released. */
  release(filter: ReleaseFilter = {}): number {
    const chosen = [...this.held]
      .filter(({ entry }) => filter.kind === undefined || entry.kind === filter.kind)
      .filter(({ entry }) => filter.mark === undefined || entry.mark === filter.mark)
      .slice(0, filter.count ?? Infinity);
    for (const call of chosen) call.letGo();
    return chosen.length;
  }
}
