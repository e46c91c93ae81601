import { DataSource } from 'typeorm';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { GenerationDesk } from '../support/generation-desk';
import { Product, type ProductOptions } from '../support/product';
import { RedisProxy } from '../support/redis-proxy';
import { RedisServer } from '../support/redis-server';

jest.setTimeout(90_000);

const HOLD = [{ match: {}, action: { hold: true } }] as const;

describe('generations through outages and moves', () => {
  const closers: Array<() => Promise<unknown>> = [];

  async function start(options: ProductOptions = {}): Promise<Product> {
    const env = { QB_LLM_CONCURRENCY_LIMIT: '8', QB_GENERATION_TEAM_LIMIT: '1', ...options.env };
    const product = await Product.start({ ...options, env });
    closers.unshift(() => product.stop());
    return product;
  }

  async function startWorker(product: Product, env: Record<string, string> = {}, args: string[] = []) {
    const worker = await BuiltProcess.start('worker', { ...product.processEnv, ...env }, args);
    closers.unshift(() => worker.stop());
    return worker;
  }

  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  it("does not let a dead worker pin its team: the re-run is granted on its first ask, not after the lease's 11 minutes", async () => {
    const world = await start({
      processes: 'api',
      env: { QB_JOB_LOCK_MS: '1000', QB_STALLED_INTERVAL_MS: '300' },
    });
    const desk = await GenerationDesk.open(world, 'A');
    world.emulator.script([{ match: { nth: 1 }, action: { hold: true } }]);
    const doomed = await startWorker(world);
    const posted = (await desk.post()).body;
    await world.emulator.untilHeld(1);
    await doomed.kill();
    const waiting = (await desk.post()).body;

    await startWorker(world);
    const [rerun, next] = await Promise.all([desk.ended(posted.id, 15_000), desk.ended(waiting.id, 15_000)]);
    expect([rerun.status, next.status]).toEqual(['completed', 'completed']);
    const rows = await world.usage(desk.key);
    // Never put back: the ask that followed the death was granted.
    expect(rows.find(({ generation_id }) => generation_id === posted.id)).toMatchObject({ retry_count: 0 });
    expect(rows).toHaveLength(2);
    await world.drained();
  });

  it('says so when a queue is posted to that nobody consumes, and runs it once somebody does', async () => {
    const world = await start({ processes: 'api', env: { QB_GENERATION_QUEUE: 'generations-fast' } });
    const desk = await GenerationDesk.open(world, 'A');
    const ready = () => world.call<{ error?: { consumers?: object } }>('/health/ready', { key: null });
    await startWorker(world, { QB_GENERATION_QUEUE: 'generations' });
    const posted = (await desk.post()).body;
    const unready = await ready();
    expect(unready.status).toBe(503);
    expect(unready.body.error?.consumers).toMatchObject({ status: 'down' });
    expect(await desk.get(posted.id)).toMatchObject({ status: 'pending' });

    // A worker that drains the old queue and runs the new one; its own setting is still the old one.
    await startWorker(world, { QB_GENERATION_QUEUE: 'generations' }, [
      '--queues',
      'generations,generations-fast',
    ]);
    expect(await desk.ended(posted.id)).toMatchObject({ status: 'completed' });
    expect((await ready()).status).toBe(200);

    // Parked there, it is woken there, whichever process hears of its slot first.
    world.emulator.script(HOLD);
    const ids = await desk.postMany(3);
    await world.emulator.untilHeld(1);
    world.emulator.script([]);
    world.emulator.release();
    for (const id of ids) expect(await desk.ended(id)).toMatchObject({ status: 'completed' });
    expect(await world.usage(desk.key)).toHaveLength(4);
  });

  it('expires what waited when Redis lost everything, sends none of it, and runs the rest once', async () => {
    const redis = await RedisServer.start();
    // Reconciled late: what expires was lost by the queue, and is not enqueued again before.
    const env = { QB_SLOT_LEASE_MS: '1500', QB_RECONCILE_INTERVAL_MS: '5000' };
    const world = await start({ redisUrl: redis.url, env });
    closers.push(() => redis.close());
    const desk = await GenerationDesk.open(world, 'A');
    world.emulator.script(HOLD);
    const running = (await desk.post()).body;
    await world.emulator.untilHeld(1);
    const expiring = await desk.postMany(3, { expires_in_seconds: 3 });
    const lasting = await desk.postMany(2);
    await redis.kill();
    await redis.startEmpty();

    for (const id of expiring) {
      const expired = await desk.ended(id, 10_000);
      expect(expired).toMatchObject({ status: 'failed', error: { code: 'task_expired' } });
      const lateMs = Date.parse(expired.finished_at ?? '') - Date.parse(expired.expires_at);
      expect(lateMs).toBeLessThan(2_000);
    }
    world.emulator.script([]);
    world.emulator.release();
    for (const id of [running.id, ...lasting]) {
      expect(await desk.ended(id, 20_000)).toMatchObject({ status: 'completed' });
    }
    expect(world.emulator.stats().llm.requests).toBe(3);
    expect((await world.usage(desk.key)).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
    await world.drained();
  });

  it('takes a post while Redis is gone and runs it later, and refuses a preview', async () => {
    const proxy = await RedisProxy.start(process.env['QB_TEST_REDIS_URL'] ?? '');
    const world = await start({ redisUrl: proxy.url });
    closers.push(() => proxy.close());
    const desk = await GenerationDesk.open(world, 'A');
    expect(await desk.ended((await desk.post()).body.id)).toMatchObject({ status: 'completed' });

    await proxy.blackhole();
    const startedAt = Date.now();
    const posted = await desk.post();
    expect(posted.status).toBe(202);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    const preview = await world.call('/api/generations/preview', {
      json: { prompt: 'A town.' },
      key: desk.key,
    });
    expect(preview).toMatchObject({ status: 503, body: { code: 'queue_unavailable' } });
    expect(Number(preview.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await desk.list('cancelled')).toHaveLength(1);

    await proxy.pass();
    expect(await desk.ended(posted.body.id, 30_000)).toMatchObject({ status: 'completed' });
    expect(world.emulator.stats().llm.requests).toBe(2);
  });

  it('runs each of those whose rows commit slowly, none as missing, each once', async () => {
    // The reconciler would mend what this is about.
    const world = await start({
      env: { QB_GENERATION_TEAM_LIMIT: '8', QB_RECONCILE_INTERVAL_MS: '600000' },
    });
    const desk = await GenerationDesk.open(world, 'A');
    const database = await new DataSource({
      type: 'postgres',
      url: world.env['DATABASE_URL'] ?? '',
    }).initialize();
    try {
      await database.query(`
        CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON generations DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION commit_slowly();`);
    } finally {
      await database.destroy();
    }
    const ids = await desk.postMany(20);
    for (const id of ids) expect(await desk.ended(id)).toMatchObject({ status: 'completed' });
    expect(world.emulator.stats().llm.requests).toBe(20);
    expect(await world.usage(desk.key)).toHaveLength(20);
  });

  it('keeps installations on one Redis apart: a slot that one left behind is not in the way of another', async () => {
    const full = await start({ env: { QB_GENERATION_FLEET_LIMIT: '1' } });
    const left = await GenerationDesk.open(full, 'A');
    full.emulator.script(HOLD);
    await left.post();
    await full.emulator.untilHeld(1);

    const fresh = await start({
      env: { QB_GENERATION_FLEET_LIMIT: '1', QB_LLM_BASE_URL: full.emulator.url },
    });
    const desk = await GenerationDesk.open(fresh, 'B');
    full.emulator.script([]);
    expect(await desk.ended((await desk.post()).body.id)).toMatchObject({ status: 'completed' });
    const caps = await eventually('its caps are known', async () => (await fresh.queue()).caps);
    expect(caps.every(({ in_use }) => in_use === 0)).toBe(true);
  });
});
