import { runMigrations } from '@app/persistence';
import { readDatabaseUrl } from '@app/config';

/** `npm run migrate`: brings the schema at DATABASE_URL up to date. */
runMigrations(readDatabaseUrl()).then(
  () => process.stdout.write('The schema is up to date\n'),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
