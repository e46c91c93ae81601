import { eventually } from '../support/eventually';
import { GenerationDesk } from '../support/generation-desk';
import { Product } from '../support/product';

/** Enough that it never runs dry while the others are looked at. */
const FLOOD = 500;

jest.setTimeout(300_000);

describe('many teams on one fleet', () => {
  let product: Product | undefined;

  async function start(env: Record<string, string>, holdMs = 200): Promise<Product> {
    product = await Product.start({
      // The real countdowns: what moves a parked job is the hand-off, not the safety net.
      env: { QB_REQUEUE_MIN_MS: '20000', QB_REQUEUE_MAX_MS: '40000', ...env },
      emulator: { holdMs: { llm: holdMs } },
    });
    return product;
  }

  afterEach(async () => {
    await product?.stop();
    product = undefined;
  });

  it("gives a flood its own share and nothing else: another team's only generation starts within 1 s", async () => {
    const world = await start({
      QB_GENERATION_TEAM_LIMIT: '4',
      QB_GENERATION_FLEET_LIMIT: '6',
      QB_LLM_CONCURRENCY_LIMIT: '8',
    });
    const [flood, middling, single] = await Promise.all(
      ['A', 'C', 'B'].map((name) => GenerationDesk.open(world, name)),
    );
    if (!flood || !middling || !single) throw new Error('no teams');
    const floodIds = await flood.postMany(FLOOD);
    await middling.postMany(20);
    await new Promise((resolve) => setTimeout(resolve, 1_000));

    const postedAt = Date.now();
    const posted = await single.post();
    const started = await eventually('the single one has started', async () => {
      const generation = await single.get(posted.body.id);
      return generation.started_at !== null && generation;
    });
    const waitedMs = Date.parse(started.started_at ?? '') - Date.parse(started.created_at);
    expect(waitedMs).toBeLessThan(1_000);
    expect(Date.now() - postedAt).toBeLessThan(2_000);
    // Saturation is invisible: what waits says pending, and nothing else.
    const last = await flood.get(floodIds.at(-1) ?? '');
    expect(last).toMatchObject({ status: 'pending', error: null, started_at: null, finished_at: null });

    await Promise.all([flood.allEnded(90_000), middling.allEnded(90_000), single.allEnded(90_000)]);
    expect(await flood.list('completed')).toHaveLength(FLOOD);
    expect(flood.seen).toMatchObject({ peak: 4, requests: FLOOD });
    expect(world.emulator.stats().llm).toMatchObject({ peak: 6, requests: FLOOD + 21 });
    await world.drained();
  });

  it('shares the fleet evenly between teams of very different appetite', async () => {
    const world = await start(
      { QB_GENERATION_TEAM_LIMIT: '4', QB_GENERATION_FLEET_LIMIT: '8', QB_LLM_CONCURRENCY_LIMIT: '16' },
      50,
    );
    const appetites = [10, 20, 40, 80, 150, 250, 450, 700, 1_000];
    const desks = await Promise.all(appetites.map((_, index) => GenerationDesk.open(world, `T${index}`)));
    world.emulator.script([{ match: {}, action: { hold: true } }]);
    await Promise.all(desks.map((desk, index) => desk.postMany(appetites[index] ?? 0)));
    await world.emulator.untilHeld(8);
    world.emulator.script([]);
    world.emulator.release();

    const smallest = desks[0];
    await world.emulator.until(
      () => (smallest?.seen.requests ?? 0) >= 10 && smallest?.seen.in_flight === 0,
      30_000,
    );
    // The window is the issue's: from the first start, head starts included, until the first team runs dry.
    const completions = desks.map(({ seen }) => seen.requests - seen.in_flight);
    const jain =
      completions.reduce((sum, n) => sum + n, 0) ** 2 /
      (completions.length * completions.reduce((sum, n) => sum + n * n, 0));
    process.stderr.write(`completions ${completions.join(' ')}, Jain ${jain.toFixed(3)}\n`);
    expect(jain).toBeGreaterThanOrEqual(0.95);

    for (const desk of desks) await desk.allEnded(180_000);
    for (const [index, desk] of desks.entries()) {
      expect(await desk.list('completed')).toHaveLength(appetites[index] ?? 0);
    }
    expect(world.emulator.stats().llm.peak).toBe(8);
    await world.drained();
  });

  it('fails a team behind its own wall, through the hook, while another team on the same endpoint completes', async () => {
    const world = await start({
      QB_GENERATION_TEAM_LIMIT: '1',
      QB_LLM_CONCURRENCY_LIMIT: '2',
      QB_REQUEUE_BUDGET: '3',
      QB_REQUEUE_MIN_MS: '100',
      QB_REQUEUE_MAX_MS: '150',
    });
    const [stuck, lucky] = await Promise.all(['A', 'B'].map((name) => GenerationDesk.open(world, name)));
    if (!stuck || !lucky) throw new Error('no teams');
    world.emulator.script([{ match: { mark: 'team:A' }, action: { hang: 'before_headers' } }]);
    const escaped = jest.fn();
    process.on('unhandledRejection', escaped);

    const holder = await stuck.post();
    await world.emulator.until(({ marks }) => marks['team:A']?.in_flight === 1);
    const next = await stuck.post();
    const luckyIds = await lucky.postMany(10);
    const failed = await stuck.ended(next.body.id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'capacity_exhausted' } });
    expect(failed.error?.message).toContain('cap of 1');
    for (const id of luckyIds) expect(await lucky.ended(id)).toMatchObject({ status: 'completed' });

    // The control: B's parks never ended anything, and the holder still runs.
    expect(await lucky.list('failed')).toEqual([]);
    expect(await stuck.get(holder.body.id)).toMatchObject({ status: 'pending' });
    const usage = await world.usage(stuck.key);
    expect(usage).toHaveLength(1);
    expect(usage[0]).toMatchObject({ status: 'failed', llm_calls: 0, cost_micros: 0, retry_count: 5 });
    await stuck.cancel(holder.body.id);
    await world.drained();
    expect(escaped).not.toHaveBeenCalled();
    process.off('unhandledRejection', escaped);
  });
});
