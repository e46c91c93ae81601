import { Client } from 'pg';
import { createPostgresDatabase } from './postgres-database';

describe('createPostgresDatabase', () => {
  async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('gives each of several callers a migrated database of its own', async () => {
    const databases = await Promise.all([
      createPostgresDatabase(),
      createPostgresDatabase(),
      createPostgresDatabase(),
    ]);
    const [first, ...others] = databases;
    await query(first.url, 'CREATE TABLE mine AS SELECT 1');

    for (const { url } of others) {
      const sql = "SELECT to_regclass('mine')::text AS mine, to_regclass('sessions')::text AS sessions";
      expect(await query(url, sql)).toEqual([{ mine: null, sessions: 'sessions' }]);
    }
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('drops a database that somebody is still connected to', async () => {
    const database = await createPostgresDatabase();
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();

    await database.drop();

    await expect(query(database.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
    await client.end().catch(() => undefined);
  });
});
