import { delay } from '@app/kernel';
import { StoreStartError } from './embedded-errors';
import type { ServerProcess } from './server-process';

const READY_DEADLINE_MS = 30_000;
const POLL_MS = 20;

/**
 * Waits until the check says that this very server answers. The check returns undefined when it does, else what is
 * still missing; it may throw as long as the server is not there.
 *
 * @throws StoreStartError when the server ends first or is not ready after 30 s
 */
export async function awaitReady(
  store: string,
  server: ServerProcess,
  check: () => Promise<string | undefined>,
): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (;;) {
    if (server.hasEnded) throw new StoreStartError(store, await server.exited, server.logTail());
    const missing = await check().catch((error: Error) => error.message);
    if (missing === undefined) return;
    if (Date.now() > deadline)
      throw new StoreStartError(store, `not ready after 30 s: ${missing}`, server.logTail());
    await Promise.race([server.exited, delay(POLL_MS)]);
  }
}
