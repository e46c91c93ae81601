import { runMigrations } from '@app/persistence';
import { EmbeddedStores } from './embedded/embedded-stores';
import { onNpmGone } from './embedded/npm-watch';

const DATA_FOLDER = './.data';
/** So that CI and tests neither find nor leave anything. */
const TEMPORARY = '--temporary';

/**
 * `npm run infra`: the stores alone. Prints where they are, in a form that a shell can read in, and stays up until
 * SIGINT or SIGTERM. Everything else it says goes to standard error.
 */
async function main(): Promise<number> {
  const complain = (line: string): void => void process.stderr.write(`${line}\n`);
  const stopped = new Promise<string | undefined>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve(undefined));
    onNpmGone(() => resolve(undefined));
  });

  const stores = await EmbeddedStores.start({
    dataFolder: process.argv.includes(TEMPORARY) ? undefined : DATA_FOLDER,
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    redisUrl: process.env['REDIS_URL'] || undefined,
    say: complain,
  });
  // Nothing of the stores keeps this process alive.
  const stayAlive = setInterval(() => undefined, 60_000);
  try {
    await runMigrations(stores.databaseUrl);
    process.stdout.write(`DATABASE_URL=${stores.databaseUrl}\nREDIS_URL=${stores.redisUrl}\n`);
    const crash = await Promise.race([stopped, stores.crashed()]);
    if (crash === undefined) return 0;
    complain(`${crash}; stopping`);
    return 1;
  } finally {
    clearInterval(stayAlive);
    await stores.stop();
  }
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
