import { HardLimitReachedError } from './generation-errors';

/**
 * Bounds how long one attempt holds its slots, all its sends together:
 *
 *     held = sum over the grants of (released - granted)      pauses and waits are not in it
 *
 * Once it reaches the limit, `signal` aborts with `HardLimitReachedError`.
 */
export class HoldLimit {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private grantedAt: number | undefined;
  private leftMs: number;

  constructor(private readonly limitMs: number) {
    this.leftMs = limitMs;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The slot is held from now on. */
  start(): void {
    this.stop();
    this.grantedAt = performance.now();
    const reached = new HardLimitReachedError(this.limitMs);
    this.timer = setTimeout(() => this.controller.abort(reached), Math.max(0, this.leftMs));
  }

  /** The slot is given back; the time it was held stays counted. */
  stop(): void {
    clearTimeout(this.timer);
    if (this.grantedAt !== undefined) this.leftMs -= performance.now() - this.grantedAt;
    this.grantedAt = undefined;
  }
}
