import { DataSource, type DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from '../../../migrations';

/** Held while migrating, so that processes which boot together migrate once. */
const MIGRATION_LOCK = 7_236_541;

const CONNECT_TIMEOUT_MS = 5_000;
/** A query that took longer than this is a fault: all of ours go by an index. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** How this product connects to Postgres; `poolSize` counts connections per process. */
export function dataSourceOptions(databaseUrl: string, poolSize = 20): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    synchronize: false,
    migrationsRun: false,
    migrations: MIGRATIONS,
    poolSize,
    extra: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'questline',
    },
  };
}

/** Brings the schema up to date; safe to call from several processes at once. */
export async function runMigrations(databaseUrl: string): Promise<void> {
  const dataSource = await openDataSource(databaseUrl, 2);
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
    await dataSource.destroy();
  }
}

/** @throws Error that says what to do, when the schema is older than the code. */
export async function assertMigrated(databaseUrl: string): Promise<void> {
  const dataSource = await openDataSource(databaseUrl, 1);
  try {
    if (await dataSource.showMigrations()) {
      throw new Error('The database is not up to date: run "npm run migrate" first');
    }
  } finally {
    await dataSource.destroy();
  }
}

async function openDataSource(databaseUrl: string, poolSize: number): Promise<DataSource> {
  try {
    return await new DataSource(dataSourceOptions(databaseUrl, poolSize)).initialize();
  } catch (cause) {
    // The URL holds a password, and the driver's own words may hold parts of it.
    throw new Error('Postgres at DATABASE_URL cannot be reached, or refuses this user', { cause });
  }
}
