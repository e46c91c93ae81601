const POLL_MS = 10;

/**
 * Awaits what cannot be awaited as an event: calls `probe` until it returns something other than undefined or
 * false, and returns that. The one polling function of our tests.
 *
 * @throws Error naming `what` after `withinMs`, with the last error of the probe as cause
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  { withinMs = 10_000 }: { withinMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    let cause: unknown;
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
