import type { INestApplication } from '@nestjs/common';

/** A second signal, or this long after the first, ends the process whatever still runs. */
const LAST_RESORT_MS = 60_000;

/**
 * Boots a process and closes it in good order on SIGTERM and SIGINT, exit status 0. A boot that fails
 * prints its one message, without a stack that would bury it, and exits 1.
 */
export function runUntilStopped(boot: () => Promise<INestApplication>): void {
  boot().then(
    (app) => {
      let stopping = false;
      const stop = (): void => {
        if (stopping) process.exit(1);
        stopping = true;
        setTimeout(() => process.exit(1), LAST_RESORT_MS).unref();
        app.close().then(
          () => process.exit(0),
          (error: unknown) => {
            process.stderr.write(`Stopped badly: ${String(error)}\n`);
            process.exit(1);
          },
        );
      };
      process.on('SIGTERM', stop);
      process.on('SIGINT', stop);
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}
