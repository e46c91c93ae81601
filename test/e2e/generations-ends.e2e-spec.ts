import { GenerationEndings } from '../../libs/generations/src/generation-endings';
import { GenerationStore } from '../../libs/generations/src/generation-store';
import { eventually } from '../support/eventually';
import { GenerationDesk } from '../support/generation-desk';
import { Product } from '../support/product';

const REAL_COUNTDOWNS = { QB_REQUEUE_MIN_MS: '20000', QB_REQUEUE_MAX_MS: '40000' };

jest.setTimeout(60_000);

describe('how generations end', () => {
  let product: Product | undefined;

  async function start(env: Record<string, string> = {}): Promise<{ world: Product; desk: GenerationDesk }> {
    product = await Product.start({
      env: { QB_LLM_CONCURRENCY_LIMIT: '8', QB_GENERATION_TEAM_LIMIT: '1', ...REAL_COUNTDOWNS, ...env },
    });
    return { world: product, desk: await GenerationDesk.open(product, 'A') };
  }

  afterEach(async () => {
    await product?.stop();
    product = undefined;
  });

  const hold = [{ match: {}, action: { hold: true } }] as const;

  it('expires what has not started within 2 s of its time, unbilled and unsent, and lets run what runs', async () => {
    const { world, desk } = await start();
    world.emulator.script(hold);
    const running = (await desk.post({ expires_in_seconds: 1 })).body;
    await world.emulator.untilHeld(1);
    const waiting = await desk.postMany(3, { expires_in_seconds: 1 });
    const lasting = (await desk.post({ expires_in_seconds: 600 })).body;

    for (const id of waiting) {
      const expired = await desk.ended(id, 5_000);
      expect(expired).toMatchObject({ status: 'failed', error: { code: 'task_expired' }, started_at: null });
      const lateMs = Date.parse(expired.finished_at ?? '') - Date.parse(expired.expires_at);
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThan(2_000);
    }
    await eventually('only the lasting one waits', async () => {
      const { caps } = await world.queue();
      return caps.find(({ team_id }) => team_id === desk.teamId)?.waiting === 1;
    });
    expect(await desk.get(running.id)).toMatchObject({ status: 'pending' });
    expect(world.emulator.stats().llm.requests).toBe(1);

    world.emulator.script([]);
    world.emulator.release();
    expect(await desk.ended(running.id)).toMatchObject({ status: 'completed' });
    expect(await desk.ended(lasting.id)).toMatchObject({ status: 'completed' });
    const billed = (await world.usage(desk.key)).map(({ generation_id }) => generation_id);
    expect(billed.sort()).toEqual([running.id, lasting.id].sort());
    await world.drained();
  });

  it('aborts a call at the hard limit: socket closed, slot free, and a late answer changes nothing', async () => {
    const { world, desk } = await start({
      QB_GENERATION_HARD_LIMIT_MS: '700',
      QB_GENERATION_LEASE_MS: '2000',
    });
    world.emulator.script([{ match: { nth: 1 }, action: { delay_ms: 2_500, ignore_close: true } }]);
    const stuck = (await desk.post()).body;
    const next = (await desk.post()).body;
    const failed = await desk.ended(stuck.id, 5_000);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_timeout' } });
    const heldMs = Date.parse(failed.finished_at ?? '') - Date.parse(failed.started_at ?? '');
    expect(heldMs).toBeGreaterThanOrEqual(600);
    expect(heldMs).toBeLessThan(2_700);
    const [entry] = world.emulator.log().items.filter(({ kind }) => kind === 'llm');
    expect(entry).toMatchObject({ outcome: 'closed_early' });

    expect(await desk.ended(next.id)).toMatchObject({ status: 'completed' });
    await eventually(
      'the late answer has come and gone',
      () => Date.now() > Date.parse(entry?.arrived_at ?? '') + 2_700,
    );
    expect(await desk.get(stuck.id)).toEqual(failed);
    const rows = await world.usage(desk.key);
    expect(rows.map(({ status }) => status).sort()).toEqual(['completed', 'failed']);
    await world.drained();
  });

  it('takes nothing from a predecessor whose slot was taken over: neither text nor bill', async () => {
    const { world, desk } = await start();
    world.emulator.script(hold);
    const { id } = (await desk.post()).body;
    await world.emulator.untilHeld(1);
    const late = { inputTokens: 9_999, outputTokens: 9_999, estimated: false, calls: 1, durationMs: 1 };
    const meter = { ...late, provider: 'ollama' as const, model: 'late' };
    const generation = await world.get(GenerationStore).findAny(id);
    const endings = world.get(GenerationEndings);
    await endings.complete(generation!, 'predecessor', { text: 'too late', model: 'late', meter });
    await endings.noteConsumed(id, 'predecessor', meter);
    expect(await desk.get(id)).toMatchObject({ status: 'pending', text: null });

    world.emulator.release();
    const ended = await desk.ended(id);
    expect(ended).toMatchObject({ status: 'completed', usage: { output_tokens: expect.any(Number) } });
    expect(ended.text).not.toBe('too late');
    const rows = await world.usage(desk.key);
    expect(rows).toMatchObject([{ status: 'completed', llm_calls: 1 }]);
    expect(rows[0]?.input_tokens).toBeLessThan(9_999);
  });

  it('does not count the pauses a provider asked for as time of holding', async () => {
    const { world, desk } = await start({
      QB_GENERATION_HARD_LIMIT_MS: '700',
      QB_GENERATION_LEASE_MS: '2000',
    });
    world.emulator.script([{ match: { send: 1 }, action: { error: 'rate_limited', retry_after: '1.5' } }]);
    const generation = await desk.ended((await desk.post()).body.id);
    expect(generation).toMatchObject({ status: 'completed' });
    const lastedMs = Date.parse(generation.finished_at ?? '') - Date.parse(generation.started_at ?? '');
    expect(lastedMs).toBeGreaterThan(1_400);
    expect((await world.usage(desk.key))[0]).toMatchObject({ status: 'completed', retry_count: 1 });
  });

  it('turns limits under load within 100 ms, by the admin route, and interrupts nobody', async () => {
    const { world, desk } = await start({
      QB_GENERATION_TEAM_LIMIT: '2',
      QB_GENERATION_FLEET_LIMIT: '20',
      QB_LLM_CONCURRENCY_LIMIT: '40',
    });
    world.emulator.script(hold);
    await desk.postMany(30);
    await world.emulator.untilHeld(2);
    const put = (json: object) => world.call('/api/admin/caps', { method: 'PUT', json });
    const reaches = async (count: number, since: number): Promise<number> => {
      await world.emulator.until(({ llm }) => llm.in_flight === count, 5_000);
      return Date.now() - since;
    };

    const raised = await put({ generation_team_limit: 6 });
    expect(raised).toMatchObject({
      status: 200,
      body: { generation_team_limit: 6, generation_fleet_limit: 20 },
    });
    const afterMs = await reaches(6, Date.now());
    expect(afterMs).toBeLessThan(1_000);

    expect(await put({ generation_team_limit: 1, team_id: desk.teamId })).toMatchObject({
      status: 200,
      body: { generation_team_limit: 1, team_id: desk.teamId },
    });
    // Lowering takes nothing away and swallows what is freed.
    expect(world.emulator.stats().llm.in_flight).toBe(6);
    world.emulator.release({ count: 5 });
    await world.emulator.until(({ llm }) => llm.in_flight === 1, 5_000);
    await eventually('five have ended', async () => (await desk.list('completed')).length === 5);
    expect(world.emulator.stats().llm).toMatchObject({ in_flight: 1, requests: 6, peak: 6 });

    // A team without a word of its own follows the default again.
    await put({ generation_team_limit: null, team_id: desk.teamId });
    await reaches(6, Date.now());
    await put({ generation_fleet_limit: 8, generation_team_limit: 12 });
    await reaches(8, Date.now());
    const other = await GenerationDesk.open(world, 'B');
    await put({ generation_fleet_limit: null });
    await other.postMany(12);
    await world.emulator.until(
      ({ marks }) => marks['team:A']?.in_flight === 12 && marks['team:B']?.in_flight === 8,
    );

    for (const wrong of [
      {},
      { team_id: desk.teamId },
      { generation_team_limit: 0 },
      { generation_fleet_limit: 1.5 },
      { generation_fleet_limit: '3' },
      { generation_team_limit: 2, team_id: 'nobody' },
    ]) {
      expect(await put(wrong)).toMatchObject({ status: 422 });
    }
    const unknown = { generation_team_limit: 2, team_id: '01890000-0000-7000-8000-00000000ffff' };
    expect(await put(unknown)).toMatchObject({ status: 404 });
    expect(await world.call('/api/admin/caps', { method: 'PUT', json: {}, key: desk.key })).toMatchObject({
      status: 403,
    });
    world.emulator.reset();
    await Promise.all([desk.allEnded(20_000), other.allEnded(20_000)]);
    await world.drained();
  });

  it('measures the wait of each job once, over all its parks', async () => {
    const { world, desk } = await start({ QB_REQUEUE_MIN_MS: '200', QB_REQUEUE_MAX_MS: '300' });
    world.emulator.script(hold);
    await desk.postMany(3);
    await world.emulator.untilHeld(1);
    await eventually('two of them have waited for more than a second', async () => {
      const waiting = (await desk.list('pending')).filter(({ started_at }) => started_at === null);
      return waiting.filter(({ created_at }) => Date.now() - Date.parse(created_at) > 1_100).length === 2;
    });
    world.emulator.script([]);
    world.emulator.release();
    await desk.allEnded(10_000);
    const { body } = await world.call<string>('/metrics', { key: null });
    expect(body).toMatch(/queue_wait_seconds_count\{queue="generations"\} 3\b/);
    expect(body).toMatch(/queue_wait_seconds_bucket\{le="7200",queue="generations"\} 3\b/);
    const sum = Number(/queue_wait_seconds_sum\{queue="generations"\} (\S+)/.exec(body)?.[1]);
    expect(sum).toBeGreaterThan(2.2);
    expect(sum).toBeLessThan(20);
    expect(body).toMatch(/concurrency_limit_exceeded_total\{limit_name="team"\} [1-9]/);
    expect(body).toMatch(/generations_finished_total\{outcome="completed"\} 3\b/);
  });
});
