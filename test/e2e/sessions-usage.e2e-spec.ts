import type { UsageItem, UsageTotals } from '@app/usage';
import { Product, readSample } from '../support/product';

jest.setTimeout(60_000);

interface Ledger {
  readonly items: UsageItem[];
  readonly next_cursor: string | null;
  readonly totals: UsageTotals;
}

describe('the ledger', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start({
      env: { QB_LLM_PROVIDER: 'openai', QB_LLM_MODEL: 'gpt-4o-mini', QB_ASR_PROVIDER: 'openai' },
    });
  });
  afterAll(() => product.stop());

  const read = async (query = ''): Promise<Ledger> => (await product.call<Ledger>(`/api/usage${query}`)).body;

  it('has a row per run, per generation and per question, pages through them, and sums over all of them', async () => {
    const campaignId = await product.createCampaign();
    const uploads = [];
    for (let index = 0; index < 3; index += 1) {
      uploads.push(await product.upload(campaignId, await readSample(index)));
    }
    const sessions = await product.finished(uploads.map(({ body }) => body.id));
    const asked = { json: { question: 'Who fell?' } };
    expect((await product.call(`/api/sessions/${sessions[0]!.id}/ask`, asked)).status).toBe(200);
    product.emulator.script([{ match: { kind: 'llm' }, action: { status: 400 } }]);
    expect((await product.call(`/api/sessions/${sessions[0]!.id}/ask`, asked)).status).toBe(502);
    product.emulator.reset();

    const whole = await read();
    expect(whole.next_cursor).toBeNull();
    expect(whole.items.map(({ source, status }) => `${source} ${status}`).sort()).toEqual([
      'request completed',
      'request failed',
      'session completed',
      'session completed',
      'session completed',
    ]);
    const ofFirst = await read(`?session_id=${sessions[0]!.id}`);
    expect(ofFirst.items).toEqual(whole.items.filter(({ session_id }) => session_id === sessions[0]!.id));
    expect(ofFirst.totals.rows).toBe(3);
    expect((await product.call('/api/usage?session_id=first')).status).toBe(422);
    const sum = (of: (item: UsageItem) => number): number =>
      whole.items.reduce((all, item) => all + of(item), 0);
    expect(whole.totals).toEqual({
      rows: 5,
      audio_seconds: expect.closeTo(
        sum(({ audio_seconds }) => audio_seconds),
        6,
      ),
      asr_ms: sum(({ asr_ms }) => asr_ms),
      input_tokens: sum(({ input_tokens }) => input_tokens),
      output_tokens: sum(({ output_tokens }) => output_tokens),
      llm_calls: 4,
      cost_micros: sum(({ cost_micros }) => cost_micros),
    });
    expect(whole.totals.cost_micros).toBeGreaterThan(0);
    expect(whole.items.every(({ cost_micros }) => Number.isInteger(cost_micros))).toBe(true);

    const paged: UsageItem[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Ledger = await read(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.totals).toEqual(whole.totals);
      paged.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole.items);

    const [newest] = whole.items;
    const from = encodeURIComponent(newest!.created_at);
    expect((await read(`?from=${from}`)).items.map(({ id }) => id)).toContain(newest!.id);
    expect((await read(`?to=${from}`)).items.map(({ id }) => id)).not.toContain(newest!.id);
    expect((await product.call('/api/usage?from=yesterday')).status).toBe(422);

    const blue = await product.createTeam('blue');
    expect((await product.call<Ledger>('/api/usage', { key: blue.key })).body).toMatchObject({
      items: [],
      totals: { rows: 0, cost_micros: 0 },
    });
  });

  it('takes the amounts that the provider reported, and marks those that it did not', async () => {
    product.emulator.script([
      { match: { kind: 'llm', times: 1 }, action: { text: 'A recap of some words.', usage: false } },
    ]);
    const { body } = await product.upload(await product.createCampaign());
    await product.finished([body.id]);
    const { body: other } = await product.upload(await product.createCampaign());
    await product.finished([other.id]);
    const [reported, guessed] = (await read('?limit=2')).items;
    expect(guessed).toMatchObject({ session_id: body.id, estimated: true, output_tokens: 6 });
    expect(guessed?.input_tokens).toBeGreaterThan(0);
    expect(reported).toMatchObject({ session_id: other.id, estimated: false });
    expect(reported?.audio_seconds).toBeGreaterThan(0);
  });

  it('counts what an answer cost that could not be used', async () => {
    const campaignId = await product.createCampaign();
    product.emulator.script([{ match: { kind: 'llm' }, action: { text: 'Names? I know none.' } }]);
    const wish = { what: 'innkeepers', count: 3 };
    const answer = await product.call(`/api/campaigns/${campaignId}/names`, { json: wish });
    expect(answer.status).toBe(502);
    const [newest] = (await read('?limit=1')).items;
    // It was asked once, and once more with what was wrong about its answer.
    expect(newest).toMatchObject({ source: 'request', status: 'failed', llm_calls: 2, output_tokens: 10 });
    expect(newest!.input_tokens).toBeGreaterThan(0);
    product.emulator.reset();
  });
});
