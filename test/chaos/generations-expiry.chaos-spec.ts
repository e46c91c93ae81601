import { eventually } from '../support/eventually';
import { GenerationDesk } from '../support/generation-desk';
import { Product } from '../support/product';
import { RedisServer } from '../support/redis-server';

jest.setTimeout(60_000);

const HOLD = [{ match: {}, action: { hold: true } }] as const;

describe('generations that expire before they start', () => {
  const closers: Array<() => Promise<unknown>> = [];

  async function start(env: Record<string, string>, redisUrl?: string) {
    const world = await Product.start({ redisUrl, env: { QB_LLM_CONCURRENCY_LIMIT: '8', ...env } });
    closers.unshift(() => world.stop());
    return { world, desk: await GenerationDesk.open(world, 'A') };
  }

  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  /** Each is `task_expired` within 2 s of its time, and after the end nothing of them was sent or billed. */
  async function expectExpired(desk: GenerationDesk, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const expired = await desk.ended(id, 15_000);
      expect(expired).toMatchObject({ status: 'failed', error: { code: 'task_expired' }, started_at: null });
      const lateMs = Date.parse(expired.finished_at ?? '') - Date.parse(expired.expires_at);
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThan(2_000);
    }
  }

  async function expectOnly(world: Product, desk: GenerationDesk, ids: readonly string[]): Promise<void> {
    world.emulator.script([]);
    world.emulator.release();
    for (const id of ids) expect(await desk.ended(id, 20_000)).toMatchObject({ status: 'completed' });
    expect(world.emulator.stats().llm.requests).toBe(ids.length);
    const billed = (await world.usage(desk.key)).map(({ generation_id }) => generation_id);
    expect(billed.sort()).toEqual([...ids].sort());
    await world.drained();
  }

  it('while they wait in the queue, since no worker has a seat', async () => {
    const { world, desk } = await start({ QB_WORKER_CONCURRENCY: '1' });
    world.emulator.script(HOLD);
    const running = (await desk.post()).body.id;
    await world.emulator.untilHeld(1);
    const ids = await desk.postMany(3, { expires_in_seconds: 1 });
    await expectExpired(desk, ids);
    await expectOnly(world, desk, [running]);
  });

  it('while a provider has asked for a pause', async () => {
    const { world, desk } = await start({});
    world.emulator.script([{ match: { nth: 1 }, action: { error: 'rate_limited', retry_after: 6 } }]);
    const paused = (await desk.post()).body.id;
    await world.emulator.until(({ llm }) => llm.requests === 1);
    const ids = await desk.postMany(3, { expires_in_seconds: 1 });
    await expectExpired(desk, ids);
    expect(await desk.ended(paused, 20_000)).toMatchObject({ status: 'completed' });
    expect(world.emulator.stats().llm.requests).toBe(2);
    expect(await world.usage(desk.key)).toHaveLength(1);
    await world.drained();
  });

  it('while they are parked again after Redis lost them and the reconciler enqueued them again', async () => {
    const redis = await RedisServer.start();
    const { world, desk } = await start(
      { QB_GENERATION_TEAM_LIMIT: '1', QB_SLOT_LEASE_MS: '1500', QB_RECONCILE_INTERVAL_MS: '200' },
      redis.url,
    );
    closers.push(() => redis.close());
    world.emulator.script(HOLD);
    const running = (await desk.post()).body.id;
    await world.emulator.untilHeld(1);
    const ids = await desk.postMany(4, { expires_in_seconds: 4 });
    const isParked = async (count: number): Promise<boolean> => {
      const { caps } = await world.queue();
      return caps.find(({ team_id }) => team_id === desk.teamId)?.waiting === count;
    };
    await eventually('they are parked', () => isParked(4));
    await redis.kill();
    await redis.startEmpty();
    // Until the holder tells the emptied Redis of itself, one of them may be granted its slot; it runs to its end.
    let started: string[] = [];
    await eventually('the others are parked again', async () => {
      const generations = await Promise.all(ids.map((id) => desk.get(id)));
      started = generations.filter(({ started_at }) => started_at !== null).map(({ id }) => id);
      return isParked(4 - started.length);
    });
    expect(started.length).toBeLessThan(ids.length);
    await expectExpired(
      desk,
      ids.filter((id) => !started.includes(id)),
    );
    await expectOnly(world, desk, [running, ...started]);
  });
});
