import { Injectable } from '@nestjs/common';

/** Enough to keep every slot of a free endpoint filling, few enough that those with a slot need not queue behind them. */
const AT_ONCE = 4;

/** An ask is a matter of ms; while Redis is away it waits for a local slot, which must not be in the way of others. */
const LONGEST_MS = 1_000;

/**
 * Lets few attempts at once on their way to their first grant, in one process.
 *
 * A burst puts hundreds of fresh jobs on a full cap, each of which only asks, is parked and goes back. All at once
 * they would keep the process and its connections so busy that a job which was woken, with a slot reserved for it, came
 * to its turn a tenth of a second late. Woken jobs take no turn; who is granted or parked gives its turn back.
 */
@Injectable()
export class FreshTurns {
  private free = AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  /** Resolves with what gives the turn back; that may be called again. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free -= 1;
    else await this.untilFree(signal);
    let isMine = true;
    const giveBack = (): void => {
      if (!isMine) return;
      isMine = false;
      clearTimeout(timer);
      this.giveBack();
    };
    const timer = setTimeout(giveBack, LONGEST_MS).unref();
    return giveBack;
  }

  private async untilFree(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onFree = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(onFree), 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(onFree);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  private giveBack(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
