/** One unit of the server's own concurrency; give it back once. */
export interface InnerSlot {
  release(): void;
}

/**
 * What a server with few GPUs does inside: it takes every request, works on so many at once and lets the
 * others wait in the order they came. Those waiting are in flight all the same.
 */
export class InnerQueue {
  private working = 0;
  private readonly waiting: Array<() => void> = [];

  /** @param limit asked at each change, so that it may be turned while calls wait; undefined: no limit. */
  constructor(private readonly limit: () => number | undefined) {}

  get isFull(): boolean {
    return this.working >= (this.limit() ?? Infinity);
  }

  /** @throws the signal's reason when the caller goes away while it waits. */
  async enter(signal: AbortSignal): Promise<InnerSlot> {
    signal.throwIfAborted();
    if (!this.isFull && this.waiting.length === 0) return this.grant();
    return new Promise<InnerSlot>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(this.grant());
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(go);
    });
  }

  /** Lets in whoever fits now; called when a slot came back and when the limit was turned. */
  admit(): void {
    while (!this.isFull && this.waiting.length > 0) this.waiting.shift()?.();
  }

  private grant(): InnerSlot {
    this.working += 1;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.working -= 1;
        this.admit();
      },
    };
  }
}
