import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { GenerationDesk } from '../support/generation-desk';
import { Product } from '../support/product';

jest.setTimeout(300_000);

const HOLD = [{ match: {}, action: { hold: true } }] as const;
const REAL_COUNTDOWNS = { QB_REQUEUE_MIN_MS: '20000', QB_REQUEUE_MAX_MS: '40000' };

describe('more generations than the fleet can take', () => {
  const closers: Array<() => Promise<unknown>> = [];

  async function start(env: Record<string, string>, workers: number): Promise<Product> {
    const product = await Product.start({
      processes: 'api',
      env: { QB_LLM_CONCURRENCY_LIMIT: '40', ...REAL_COUNTDOWNS, ...env },
      emulator: { holdMs: { llm: 200 } },
    });
    closers.unshift(() => product.stop());
    for (let i = 0; i < workers; i += 1) {
      const worker = await BuiltProcess.start('worker', product.processEnv);
      closers.unshift(() => worker.stop());
    }
    return product;
  }

  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  it('turns limits within 100 ms at every one of three workers, and interrupts nobody', async () => {
    const world = await start({ QB_GENERATION_FLEET_LIMIT: '2', QB_GENERATION_TEAM_LIMIT: '40' }, 3);
    const desk = await GenerationDesk.open(world, 'A');
    const put = async (limit: number): Promise<number> => {
      const json = { generation_fleet_limit: limit };
      const { status } = await world.call('/api/admin/caps', { method: 'PUT', json });
      expect(status).toBe(200);
      return Date.now();
    };
    const ids = await desk.postMany(120);
    await eventually('it is under load', () => world.emulator.stats().llm.requests > 6);
    expect(world.emulator.stats().llm.peak).toBe(2);

    const raisedAt = await put(6);
    await world.emulator.until(({ llm }) => llm.in_flight === 6, 5_000);
    expect(Date.now() - raisedAt).toBeLessThan(100);
    await eventually('it runs on', () => world.emulator.stats().llm.requests > 40);
    expect(world.emulator.stats().llm.peak).toBe(6);

    const loweredAt = await put(1);
    await eventually('it runs on', () => world.emulator.stats().llm.requests > 50);
    const { items } = world.emulator.log();
    const late = items.filter(({ arrived_at }) => Date.parse(arrived_at) > loweredAt + 100);
    const inFlightAt = (at: string): number =>
      items.filter(({ arrived_at, ended_at }) => arrived_at <= at && (ended_at === null || ended_at > at))
        .length;
    expect(Math.max(...late.map(({ arrived_at }) => inFlightAt(arrived_at)))).toBe(1);
    expect(items.every(({ outcome }) => outcome === null || outcome === 'answered')).toBe(true);

    await put(40);
    for (const id of ids) expect(await desk.ended(id, 60_000)).toMatchObject({ status: 'completed' });
    expect(world.emulator.stats().llm.requests).toBe(ids.length);
    await world.drained();
  });

  it('says pending, and nothing else, all through a twenty-fold overload', async () => {
    const world = await start({ QB_GENERATION_FLEET_LIMIT: '4', QB_GENERATION_TEAM_LIMIT: '4' }, 1);
    const desk = await GenerationDesk.open(world, 'A');
    const ids = await desk.postMany(80);
    const told = new Set<string>();
    const open = new Set(ids);
    while (open.size > 0) {
      for (const id of open) {
        const answer = await world.call<{ status: string; error: unknown }>(`/api/generations/${id}`, {
          key: desk.key,
        });
        told.add(`${answer.status} ${answer.body.status} ${JSON.stringify(answer.body.error)}`);
        if (answer.body.status !== 'pending') open.delete(id);
      }
    }
    expect([...told].sort()).toEqual(['200 completed null', '200 pending null']);
    expect(world.emulator.stats().llm).toMatchObject({ peak: 4, requests: 80 });
    await world.drained();
  });

  it('keeps ten thousand pending in a worker of 300 MB, and the queue of the operator quick', async () => {
    const world = await start({ QB_GENERATION_FLEET_LIMIT: '4', QB_GENERATION_TEAM_LIMIT: '4' }, 0);
    const worker = await BuiltProcess.start('worker', world.processEnv);
    closers.unshift(() => worker.stop());
    // Of its own, so that what this test process keeps in memory is not measured.
    const api = await BuiltProcess.start('api', world.processEnv);
    closers.unshift(() => api.stop());
    const headers = { Authorization: `Bearer ${world.adminKey}` };
    const desk = await GenerationDesk.open(world, 'A');
    world.emulator.script(HOLD);
    const p99Ms = async (): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 300; i += 1) {
        const startedAt = performance.now();
        const answer = await fetch(`${api.url}/api/admin/ai/queue`, { headers });
        await answer.text();
        expect(answer.status).toBe(200);
        times.push(performance.now() - startedAt);
      }
      return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)]!;
    };
    await p99Ms();
    const emptyMs = await p99Ms();
    await desk.postMany(10_000);
    await eventually(
      'all but four are parked',
      async () =>
        (await world.queue()).caps.find(({ team_id }) => team_id === desk.teamId)?.waiting === 9_996,
      { withinMs: 240_000 },
    );
    await sleep(2_000);
    const fullMs = await p99Ms();
    const megabytes = (await worker.residentBytes()) / 2 ** 20;
    process.stderr.write(
      `worker ${megabytes.toFixed(0)} MB, queue p99 ${emptyMs.toFixed(1)} ms empty, ${fullMs.toFixed(1)} ms full\n`,
    );
    expect(megabytes).toBeLessThanOrEqual(300);
    expect(fullMs).toBeLessThanOrEqual(3 * emptyMs);
  });
});
