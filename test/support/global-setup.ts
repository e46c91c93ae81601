import { randomBytes } from 'node:crypto';
import { EmbeddedStores } from '../../apps/standalone/src/embedded/embedded-stores';

declare global {
  var embeddedTestStores: EmbeddedStores | undefined;
}

/**
 * Once per Jest run: a Postgres and a Redis of our own in a temporary folder, as QB_TEST_DATABASE_URL and
 * QB_TEST_REDIS_URL. What is set already is used, and nothing is started for it.
 */
export default async function globalSetup(): Promise<void> {
  const stores = await EmbeddedStores.start({
    databaseUrl: process.env['QB_TEST_DATABASE_URL'],
    redisUrl: process.env['QB_TEST_REDIS_URL'],
    say: (line) => process.stderr.write(`${line}\n`),
  });
  globalThis.embeddedTestStores = stores;
  process.env['QB_TEST_DATABASE_URL'] = stores.databaseUrl;
  process.env['QB_TEST_REDIS_URL'] = stores.redisUrl;
  // Names what this run leaves in stores that it did not start, see postgres-database.ts.
  process.env['QB_TEST_RUN'] = randomBytes(4).toString('hex');
}
