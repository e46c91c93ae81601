import { Client } from 'pg';

/** Starts the name of every database that this Jest run makes in the shared Postgres. */
export function testDatabasePrefix(): string {
  return `qb_test_${process.env['QB_TEST_RUN']}_`;
}

/** Lends a connection to the shared Postgres, as its superuser. */
export async function asPostgresAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: process.env['QB_TEST_DATABASE_URL'] });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Drops what this run made, for a Postgres that stays after it. Others' databases are never touched. */
export async function dropTestDatabases(): Promise<void> {
  await asPostgresAdmin(async (admin) => {
    const { rows } = await admin.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [testDatabasePrefix()],
    );
    for (const { datname } of rows) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  });
}
