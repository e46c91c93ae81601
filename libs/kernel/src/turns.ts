/**
 * Lets few at once, in one process, in the order of asking. A turn ends by itself after `longestMs`, so that one who
 * takes long is not in the way of others: this spares the process, it is no limit to rely on.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private free: number,
    private readonly longestMs: number,
  ) {}

  /** Resolves with what gives the turn back; that may be called again. Rejects with the signal's reason. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free -= 1;
    else await this.untilFree(signal);
    let isMine = true;
    const giveBack = (): void => {
      if (!isMine) return;
      isMine = false;
      clearTimeout(timer);
      this.giveBack();
    };
    const timer = setTimeout(giveBack, this.longestMs).unref();
    return giveBack;
  }

  private async untilFree(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onFree = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(onFree), 1);
        reject(signal?.reason as Error);
      };
      this.waiting.push(onFree);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  private giveBack(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
