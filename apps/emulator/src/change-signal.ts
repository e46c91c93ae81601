/** Lets tests await that something has become so, instead of sleeping and hoping. */
export class ChangeSignal {
  private readonly watchers = new Set<() => void>();

  /** To be called after every change. */
  tell(): void {
    for (const look of [...this.watchers]) look();
  }

  /**
   * Resolves once `holds` is true, which is asked at once and at every change.
   *
   * @throws Error with what `now` says when it is not so in time
   */
  async until(holds: () => boolean, timeoutMs: number, now: () => string): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        this.watchers.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.watchers.delete(look);
        reject(new Error(`Not so within ${timeoutMs} ms: ${now()}`));
      }, timeoutMs);
      this.watchers.add(look);
    });
  }
}
