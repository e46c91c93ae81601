import type { GenerationDto } from '../../libs/generations/src/http/generation-answers.dto';
import { eventually } from '../support/eventually';
import { GenerationDesk } from '../support/generation-desk';
import { type Answer, type Call, Product } from '../support/product';

jest.setTimeout(60_000);

describe('a preview', () => {
  let product: Product | undefined;

  async function start(env: Record<string, string> = {}): Promise<{ world: Product; desk: GenerationDesk }> {
    product = await Product.start({
      env: {
        QB_LLM_CONCURRENCY_LIMIT: '8',
        QB_GENERATION_TEAM_LIMIT: '1',
        QB_PREVIEW_DEADLINE_MS: '1500',
        ...env,
      },
    });
    return { world: product, desk: await GenerationDesk.open(product, 'A') };
  }

  afterEach(async () => {
    await product?.stop();
    product = undefined;
  });

  const preview = (world: Product, desk: GenerationDesk, call: Call = {}): Promise<Answer<GenerationDto>> =>
    world.call<GenerationDto>('/api/generations/preview', {
      json: { prompt: '[team:A] A town.' },
      key: desk.key,
      ...call,
    });

  it('answers with the completed generation, at once when it ends', async () => {
    const { world, desk } = await start({ QB_PREVIEW_DEADLINE_MS: '20000' });
    const answer = await preview(world, desk);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'completed', text: expect.any(String), error: null },
    });
    expect(await desk.get(answer.body.id)).toEqual(answer.body);
    expect(await world.usage(desk.key)).toHaveLength(1);
  });

  it('ends with 504 past its deadline: a running call is aborted, a waiting one never sent', async () => {
    const { world, desk } = await start();
    world.emulator.script([{ match: {}, action: { hold: true } }]);
    const [running, waiting] = await Promise.all([preview(world, desk), preview(world, desk)]);
    for (const answer of [running, waiting]) {
      expect(answer).toMatchObject({ status: 504, body: { code: 'preview_deadline_exceeded' } });
    }
    await world.emulator.until(({ llm }) => llm.in_flight === 0, 2_000);
    expect(world.emulator.stats().llm.requests).toBe(1);
    await world.drained();
    const failed = await desk.list('failed');
    expect(failed.map(({ error }) => error?.code).sort()).toEqual(
      expect.arrayContaining(['preview_deadline_exceeded']),
    );
    expect(failed).toHaveLength(2);
    expect((await world.usage(desk.key)).every(({ llm_calls }) => llm_calls === 0)).toBe(true);
  });

  it('is cancelled by a client that goes away', async () => {
    const { world, desk } = await start({ QB_PREVIEW_DEADLINE_MS: '20000' });
    world.emulator.script([{ match: {}, action: { hold: true } }]);
    const client = new AbortController();
    const gone = preview(world, desk, { signal: client.signal });
    await world.emulator.untilHeld(1);
    client.abort();
    await expect(gone).rejects.toThrow();
    await world.emulator.until(({ llm }) => llm.in_flight === 0, 2_000);
    await eventually('it is cancelled', async () => (await desk.list('cancelled')).length === 1);
    await world.drained();
    expect(await world.usage(desk.key)).toEqual([]);
  });

  it("fails with its generation's own code", async () => {
    const { world, desk } = await start({ QB_PREVIEW_DEADLINE_MS: '20000' });
    world.emulator.script([{ match: {}, action: { status: 401, error: 'unauthorized' } }]);
    const answer = await preview(world, desk);
    expect(answer).toMatchObject({
      status: 502,
      body: { code: 'provider_rejected', generation_id: expect.any(String) },
    });
    expect(await desk.list('failed')).toMatchObject([{ error: { code: 'provider_rejected' } }]);
    expect(await world.usage(desk.key)).toMatchObject([{ status: 'failed', llm_calls: 0 }]);
  });
});
