const TICK_MS = 250;

/** Reads the present state of every watched key at once; a key that is gone is missing in the answer. */
export type ReadStates<S> = (keys: readonly string[]) => Promise<ReadonlyMap<string, S>>;

/**
 * Tells watchers when a state changed, at most four times a second. However many watch, the state is read
 * once per tick and process, and not at all while nobody watches.
 */
export class ChangeFeed<S> {
  private readonly watchers = new Map<string, Set<(state: S) => void>>();
  private readonly known = new Map<string, { text: string; state: S }>();
  private timer: NodeJS.Timeout | undefined;
  private reading = false;

  constructor(private readonly read: ReadStates<S>) {}

  /** Calls `tell` with the present state soon, then at each change. @returns the way to stop. */
  watch(key: string, tell: (state: S) => void): () => void {
    const known = this.known.get(key);
    if (known) tell(known.state);
    const watching = this.watchers.get(key) ?? new Set();
    this.watchers.set(key, watching.add(tell));
    this.timer ??= setInterval(() => void this.tick(), TICK_MS).unref();
    if (!known) void this.tick();
    return () => this.unwatch(key, tell);
  }

  private unwatch(key: string, tell: (state: S) => void): void {
    const watching = this.watchers.get(key);
    watching?.delete(tell);
    if (watching?.size !== 0) return;
    this.watchers.delete(key);
    this.known.delete(key);
    if (this.watchers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async tick(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      const states = await this.read([...this.watchers.keys()]);
      for (const [key, state] of states) this.note(key, state);
    } catch {
      // A store is away: what was told stays true until something else is known, and the heartbeat goes on.
    } finally {
      this.reading = false;
    }
  }

  private note(key: string, state: S): void {
    const watching = this.watchers.get(key);
    const text = JSON.stringify(state);
    if (!watching || this.known.get(key)?.text === text) return;
    this.known.set(key, { text, state });
    for (const tell of watching) tell(state);
  }
}
