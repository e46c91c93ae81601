import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Redis from 'ioredis';
import { Client } from 'pg';
import { eventually } from '../../../../test/support/eventually';
import { DataFolderInUseError } from './embedded-errors';
import { EmbeddedStores } from './embedded-stores';
import { processStartMark } from './process-start-mark';
import { isRoot } from './unprivileged-user';

const SUPPORT = join(__dirname, '../../../../test/support');

interface Held {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly pids: Record<string, number>;
}

const cleaners: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

/** One that Postgres's user can enter, unlike what mkdtemp makes. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'questline-stores-spec-'));
  chmodSync(folder, 0o711);
  cleaners.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(options: Parameters<typeof EmbeddedStores.start>[0] = {}): Promise<EmbeddedStores> {
  const stores = await EmbeddedStores.start(options);
  cleaners.push(() => stores.stop());
  return stores;
}

/** Starts stores in a process of their own. */
async function hold(
  dataFolder?: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ held: Held; child: ChildProcess }> {
  const program = ['-r', join(SUPPORT, 'swc-register.cjs'), join(SUPPORT, 'hold-stores.ts')];
  const child = spawn(process.execPath, dataFolder === undefined ? program : [...program, dataFolder], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleaners.push(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = once(child, 'close').then(() => Promise.reject(new Error(output)));
  const line = await Promise.race([
    ended,
    eventually('the stores are up', () => output.split('\n').find((text) => text.startsWith('{'))),
  ]);
  ended.catch(() => undefined);
  return { held: JSON.parse(line) as Held, child };
}

/** A zombie, which only its parent has not noticed yet, counts as gone. */
function isAlive(pid: number): boolean {
  return processStartMark(pid) !== undefined;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function redisAnswers(url: string, work: (redis: Redis) => Promise<unknown>): Promise<unknown> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

describe('EmbeddedStores', () => {
  it('starts both stores as children of ours and leaves neither process nor folder behind', async () => {
    const stores = await start();

    expect(await query(stores.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await redisAnswers(stores.redisUrl, (redis) => redis.info('server'))).toContain(
      `process_id:${stores.pids['redis']}`,
    );
    const [place] = await query(stores.databaseUrl, 'SHOW data_directory');
    const pids = Object.values(stores.pids);
    expect(pids).toHaveLength(2);

    await stores.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(dirname(dirname(String(place?.data_directory))))).toBe(false);
  });

  it('works beside another instance, in a locale that is not installed and under foreign PG variables', async () => {
    const first = await start();
    const { held } = await hold(undefined, {
      LANG: 'xx_YY.UTF-8',
      LC_ALL: 'xx_YY.UTF-8',
      PGPORT: '1',
      PGDATA: '/nowhere',
    });

    expect(await query(held.databaseUrl, 'SELECT upper($$ä$$) AS upper')).toEqual([{ upper: 'Ä' }]);
    expect(new URL(held.databaseUrl).port).not.toBe(new URL(first.databaseUrl).port);
    expect(held.redisUrl).not.toBe(first.redisUrl);
  });

  it('starts from a folder that only its owner can enter, and says where the data of Postgres is then', async () => {
    const closed = join(temporaryFolder(), 'home');
    mkdirSync(closed, { mode: 0o700 });
    const said: string[] = [];
    const stores = await start({ dataFolder: join(closed, '.data'), say: (line) => said.push(line) });
    const elsewhere = /\/var\/tmp\/questline-\d+\/data-\w+$/.exec(said.join('\n'))?.[0];
    if (elsewhere !== undefined) cleaners.unshift(() => rmSync(elsewhere, { recursive: true }));

    expect(elsewhere === undefined).toBe(!isRoot());
    expect(await query(stores.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('uses what it is given and starts nothing', async () => {
    const stores = await start({ databaseUrl: 'postgres://given/db', redisUrl: 'redis://given' });

    expect(stores).toMatchObject({ databaseUrl: 'postgres://given/db', redisUrl: 'redis://given', pids: {} });
  });

  it('finds the data of an earlier run again, also over the note of a Postgres whose pid is another process now', async () => {
    const dataFolder = temporaryFolder();
    const first = await start({ dataFolder });
    await query(first.databaseUrl, 'CREATE TABLE kept AS SELECT 7 AS seven');
    await redisAnswers(first.redisUrl, (redis) => redis.set('kept', 'seven'));
    await first.stop();
    const pgData = join(dataFolder, 'postgres', 'data');
    // Of Postgres's own user, so that Postgres could not tell by being refused to signal it.
    const { uid, gid } = statSync(pgData);
    const bystander = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    cleaners.push(() => void bystander.kill());
    writeFileSync(join(pgData, 'postmaster.pid'), `${bystander.pid}\n${pgData}\n0\n1\n\n127.0.0.1\n`);

    const second = await start({ dataFolder });
    expect(isAlive(bystander.pid!)).toBe(true);
    expect(await query(second.databaseUrl, 'SELECT * FROM kept')).toEqual([{ seven: 7 }]);
    expect(await redisAnswers(second.redisUrl, (redis) => redis.get('kept'))).toBe('seven');
    expect(await redisAnswers(second.redisUrl, (redis) => redis.config('GET', 'maxmemory-policy'))).toContain(
      'noeviction',
    );
    expect(await query(second.databaseUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('lets one of several win that start on one folder at the same time, and tells the others who has it', async () => {
    const dataFolder = temporaryFolder();

    const outcomes = await Promise.allSettled([1, 2, 3].map(() => hold(dataFolder)));

    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const { held, child } = winners[0]!.value;
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(String(outcome.reason)).toContain(`in use by process ${child.pid}`);
    }
    const refusal: unknown = await EmbeddedStores.start({ dataFolder }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DataFolderInUseError);
    expect(refusal).toMatchObject({ holderPid: child.pid, folder: dataFolder });
    expect(await query(held.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('stops both stores when their starter is killed, and gives the folder free', async () => {
    const dataFolder = temporaryFolder();
    const { held, child } = await hold(dataFolder);
    await query(held.databaseUrl, 'CREATE TABLE kept AS SELECT 7 AS seven');
    await redisAnswers(held.redisUrl, (redis) => redis.set('kept', 'seven'));

    child.kill('SIGKILL');
    // At once: the new start has to wait for the servers that are just being stopped.
    const next = await start({ dataFolder });

    expect(Object.values(held.pids).filter(isAlive)).toEqual([]);
    expect(await query(next.databaseUrl, 'SELECT * FROM kept')).toEqual([{ seven: 7 }]);
    expect(await redisAnswers(next.redisUrl, (redis) => redis.get('kept'))).toBe('seven');
  });

  it('removes the temporary folder of a killed run too', async () => {
    const temporary = temporaryFolder();
    const { held, child } = await hold(undefined, { TMPDIR: temporary });
    expect(readdirSync(temporary)).toHaveLength(1);

    child.kill('SIGKILL');

    await eventually('both stores are gone', () => !Object.values(held.pids).some(isAlive), {
      withinMs: 15_000,
    });
    await eventually('the folder is gone', () => readdirSync(temporary).length === 0);
  });

  it('tells when a store of ours ends by itself, and not when it is stopped', async () => {
    const stores = await start();
    const crashed = stores.crashed();
    process.kill(stores.pids['redis']!, 'SIGKILL');

    expect(await crashed).toBe('Redis: it was ended by SIGKILL');
    expect(isAlive(stores.pids['postgres']!)).toBe(true);
  });
});
