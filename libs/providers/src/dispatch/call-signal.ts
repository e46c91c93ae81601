/** Why a running call was ended from our side. */
export type CallEnd = 'timeout' | 'caller' | 'lease';

/**
 * One signal out of three: our time limit, the caller's signal and the lease's. `AbortSignal.any` is
 * avoided: on Node 20 it keeps every call alive for as long as its longest-lived source.
 */
export class CallSignal {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: Array<readonly [AbortSignal, () => void]> = [];
  private end: CallEnd | undefined;

  constructor(timeoutMs: number, sources: { readonly caller?: AbortSignal; readonly lease: AbortSignal }) {
    this.timer = setTimeout(
      () => this.abort('timeout', new DOMException('time limit', 'TimeoutError')),
      timeoutMs,
    );
    if (sources.caller) this.follow('caller', sources.caller);
    this.follow('lease', sources.lease);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Undefined while nothing ended the call. */
  get endedBy(): CallEnd | undefined {
    return this.end;
  }

  /** The work's result, or a rejection as soon as the signal is aborted, whether or not the work notices. */
  async race<T>(work: Promise<T>): Promise<T> {
    const aborted = new Promise<never>((_, reject) => {
      const onAbort = (): void => reject(this.signal.reason as Error);
      if (this.signal.aborted) onAbort();
      else this.signal.addEventListener('abort', onAbort, { once: true });
    });
    // What comes after the race is over concerns nobody.
    work.catch(() => undefined);
    aborted.catch(() => undefined);
    return Promise.race([work, aborted]);
  }

  /** Stops the clock, forgets the sources and closes whatever the call may have left open. */
  dispose(): void {
    clearTimeout(this.timer);
    this.controller.abort();
    for (const [source, listener] of this.listeners) source.removeEventListener('abort', listener);
  }

  private follow(end: CallEnd, source: AbortSignal): void {
    const listener = (): void => this.abort(end, source.reason);
    if (source.aborted) return listener();
    source.addEventListener('abort', listener, { once: true });
    this.listeners.push([source, listener]);
  }

  private abort(end: CallEnd, reason: unknown): void {
    if (this.end) return;
    this.end = end;
    this.controller.abort(reason);
  }
}
