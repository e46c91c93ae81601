import { dropTestDatabases } from './shared-postgres';

/** Takes back what global-setup.ts gave: the databases of this run, then the stores that it started. */
export default async function globalTeardown(): Promise<void> {
  const stores = globalThis.embeddedTestStores;
  if (stores === undefined) return;
  // A Postgres of this run takes its databases along.
  if (stores.pids['postgres'] === undefined) await dropTestDatabases();
  await stores.stop();
}
