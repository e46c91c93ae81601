import { EmbeddedStores } from '../../apps/standalone/src/embedded/embedded-stores';

/**
 * A program that starts embedded stores and does nothing else, to be killed by a test. Its argument is the data
 * folder; without one the stores are temporary. Prints one line of JSON when they are up; SIGTERM ends it in order.
 */
async function main(): Promise<void> {
  const said: string[] = [];
  const stores = await EmbeddedStores.start({ dataFolder: process.argv[2], say: (line) => said.push(line) });
  const stayAlive = setInterval(() => undefined, 60_000);
  process.once('SIGTERM', () => {
    clearInterval(stayAlive);
    void stores.stop();
  });
  const { databaseUrl, redisUrl, pids } = stores;
  process.stdout.write(`${JSON.stringify({ databaseUrl, redisUrl, pids, said })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
