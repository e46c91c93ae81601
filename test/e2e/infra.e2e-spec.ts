import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Redis from 'ioredis';
import { Client } from 'pg';
import { eventually } from '../support/eventually';

const ROOT = join(__dirname, '../..');

describe('npm run infra', () => {
  const left: ChildProcess[] = [];

  afterEach(() => {
    for (const npm of left.splice(0)) npm.kill('SIGTERM');
  });

  /** Resolves when the addresses are printed. */
  async function setup(): Promise<{ npm: ChildProcess; databaseUrl: string; redisUrl: string }> {
    const npm = spawn('npm', ['run', '--silent', 'infra', '--', '--temporary'], {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    left.push(npm);
    let output = '';
    npm.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [, databaseUrl, redisUrl] = await eventually(
      'infra prints its addresses',
      () => /^DATABASE_URL=(\S+)\nREDIS_URL=(\S+)\n$/.exec(output) ?? undefined,
      { withinMs: 25_000 },
    );
    return { npm, databaseUrl: databaseUrl!, redisUrl: redisUrl! };
  }

  async function areGone(databaseUrl: string, redisUrl: string): Promise<boolean> {
    const client = new Client({ connectionString: databaseUrl });
    const redis = new Redis(redisUrl, {
      lazyConnect: true,
      retryStrategy: () => null,
      disconnectTimeout: 50,
    });
    redis.on('error', () => undefined);
    const answers = await Promise.allSettled([client.connect(), redis.connect()]);
    redis.disconnect();
    await client.end().catch(() => undefined);
    return answers.every(({ status }) => status === 'rejected');
  }

  it('prints migrated stores and nothing else, and ends in good order on SIGINT', async () => {
    const { npm, databaseUrl, redisUrl } = await setup();
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query("SELECT to_regclass('public.sessions')::text AS sessions");
    await client.end();
    expect(rows).toEqual([{ sessions: 'sessions' }]);

    npm.kill('SIGINT');

    expect(await once(npm, 'exit')).toEqual([0, null]);
    expect(await areGone(databaseUrl, redisUrl)).toBe(true);
  });

  it('takes its stores along when npm is killed', async () => {
    const { npm, databaseUrl, redisUrl } = await setup();
    expect(await areGone(databaseUrl, redisUrl)).toBe(false);

    npm.kill('SIGKILL');

    await eventually('both stores are gone', () => areGone(databaseUrl, redisUrl), { withinMs: 15_000 });
  });
});
