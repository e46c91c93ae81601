import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { runMigrations } from '@app/persistence';
import { asPostgresAdmin, testDatabasePrefix } from './shared-postgres';

/** Held while the template is made, so that the test files of a run make it once. */
const TEMPLATE_LOCK = 7_236_542;

/** A database of one test's own, with all migrations applied. */
export interface PostgresDatabase {
  readonly url: string;
  /** Ends what is still connected. */
  drop(): Promise<void>;
}

/**
 * A fresh database in the shared Postgres, cloned from a template that the first caller of the run migrates. So its
 * price does not rise with the number of migrations.
 */
export async function createPostgresDatabase(): Promise<PostgresDatabase> {
  const name = `${testDatabasePrefix()}${randomBytes(6).toString('hex')}`;
  await asPostgresAdmin(async (admin) => {
    const template = await ensureTemplate(admin);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  });
  return {
    url: urlOf(name),
    drop: () =>
      asPostgresAdmin(async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

async function ensureTemplate(admin: Client): Promise<string> {
  const template = `${testDatabasePrefix()}template`;
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 0) await makeTemplate(admin, template);
    return template;
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

/** Renames when done: a template that failed to migrate must not look like one. */
async function makeTemplate(admin: Client, template: string): Promise<void> {
  const draft = `${template}_draft`;
  await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${draft}`);
  await runMigrations(urlOf(draft));
  await admin.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
}

function urlOf(database: string): string {
  const url = new URL(process.env['QB_TEST_DATABASE_URL']!);
  url.pathname = `/${database}`;
  return url.href;
}
