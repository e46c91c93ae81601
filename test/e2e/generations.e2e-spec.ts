import type { GenerationDto } from '../../libs/generations/src/http/generation-answers.dto';
import { eventually } from '../support/eventually';
import { type Answer, type Call, Product, type ProductOptions } from '../support/product';

/** Room for everything unless a test says otherwise. */
const ROOMY = {
  QB_LLM_CONCURRENCY_LIMIT: '16',
  QB_GENERATION_TEAM_LIMIT: '8',
  QB_GENERATION_FLEET_LIMIT: '12',
};

jest.setTimeout(60_000);

describe('generations', () => {
  const products: Product[] = [];

  async function start(options: ProductOptions = {}): Promise<Product> {
    const product = await Product.start({ ...options, env: { ...ROOMY, ...options.env } });
    products.push(product);
    return product;
  }

  afterEach(async () => {
    for (const product of products.splice(0)) await product.stop();
  });

  function post(product: Product, body: object, call: Call = {}): Promise<Answer<GenerationDto>> {
    return product.call<GenerationDto>('/api/generations', { json: { prompt: 'A town.', ...body }, ...call });
  }

  async function get(product: Product, id: string, key?: string): Promise<GenerationDto> {
    return (await product.call<GenerationDto>(`/api/generations/${id}`, { key })).body;
  }

  async function ended(product: Product, id: string, key?: string): Promise<GenerationDto> {
    return eventually('the generation has ended', async () => {
      const generation = await get(product, id, key);
      return generation.status !== 'pending' && generation;
    });
  }

  it('is posted, runs, and is billed once', async () => {
    const product = await start();
    const posted = await post(product, { workflow_id: 'towns', max_output_tokens: 50 });
    expect(posted.status).toBe(202);
    expect(posted.body).toEqual({ id: expect.any(String), status: 'pending' });

    const generation = await ended(product, posted.body.id);
    expect(generation).toMatchObject({ status: 'completed', error: null, json: null, workflow_id: 'towns' });
    expect(generation.text).toEqual(expect.any(String));
    expect(generation.model).toEqual(expect.any(String));
    expect(generation.usage?.input_tokens).toBeGreaterThan(0);
    expect(generation.started_at).not.toBeNull();

    const usage = await product.usage();
    expect(usage).toHaveLength(1);
    expect(usage[0]).toMatchObject({
      source: 'generation',
      generation_id: posted.body.id,
      status: 'completed',
      llm_calls: 1,
      input_tokens: generation.usage?.input_tokens,
    });
    await product.drained();
  });

  it('lists by status and workflow, page by page, and shows another team nothing', async () => {
    const product = await start();
    const blue = await product.createTeam('blue');
    const ids: string[] = [];
    for (const workflow of ['a', 'a', 'b', 'a']) {
      ids.push((await post(product, { workflow_id: workflow }, { key: blue.key })).body.id);
    }
    for (const id of ids) await ended(product, id, blue.key);

    const list = (query: string, key = blue.key) =>
      product.call<{ items: GenerationDto[]; next_cursor: string | null }>(`/api/generations?${query}`, {
        key,
      });
    const first = await list('workflow_id=a&status=completed&limit=2');
    expect(first.body.items.map(({ id }) => id)).toEqual([ids[3], ids[1]]);
    const second = await list(`workflow_id=a&status=completed&limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body.items.map(({ id }) => id)).toEqual([ids[0]]);
    expect(second.body.next_cursor).toBeNull();
    expect((await list('status=pending')).body.items).toEqual([]);
    expect((await list('status=sleeping')).status).toBe(422);

    const red = await product.createTeam('red');
    expect((await list('', red.key)).body.items).toEqual([]);
    expect((await product.call(`/api/generations/${ids[0]}`, { key: red.key })).status).toBe(404);
    const cancel = { method: 'POST', key: red.key };
    expect((await product.call(`/api/generations/${ids[0]}/cancel`, cancel)).status).toBe(404);
  });

  it('takes a repetition with the same key for the same generation, and refuses another body', async () => {
    const product = await start();
    const headers = { 'Idempotency-Key': 'order-1' };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => post(product, { system: 'Short.', model: 'm' }, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const reordered = await product.call<GenerationDto>('/api/generations', {
      json: { model: 'm', system: 'Short.', prompt: 'A town.' },
      headers,
    });
    expect(reordered.body.id).toBe(answers[0]?.body.id);

    const other = await post(product, { system: 'Long.', model: 'm' }, { headers });
    expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await post(product, {}, { headers: { 'Idempotency-Key': 'no spaces' } })).status).toBe(422);

    await ended(product, answers[0]?.body.id ?? '');
    expect(product.emulator.stats().llm.requests).toBe(1);
    expect(await product.usage()).toHaveLength(1);
  });

  it('answers in JSON that fits the schema, and fails typed when the model cannot', async () => {
    const product = await start();
    const json_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const good = await ended(product, (await post(product, { json_schema })).body.id);
    expect(good).toMatchObject({ status: 'completed', json: { name: expect.any(String) } });

    product.emulator.script([{ match: {}, action: { text: 'no JSON at all' } }]);
    const bad = await ended(product, (await post(product, { json_schema })).body.id);
    expect(bad).toMatchObject({ status: 'failed', json: null, error: { code: 'provider_failed' } });

    // The second answer was paid for, and so was the first.
    const [row] = await product.usage();
    expect(row).toMatchObject({ generation_id: bad.id, status: 'failed' });
    expect(row?.llm_calls).toBe(2);
    expect(row?.output_tokens).toBeGreaterThan(0);
  });

  describe('that make no sense', () => {
    let product: Product;
    beforeAll(async () => {
      product = await Product.start({ env: ROOMY });
    });
    afterAll(() => product.stop());

    it.each([
      ['no prompt', { prompt: undefined }],
      ['an empty prompt', { prompt: ' \n' }],
      ['a prompt too long', { prompt: 'x'.repeat(1_000_001) }],
      ['a character that cannot be stored', { prompt: 'a\u0000b' }],
      ['a schema that does not compile', { json_schema: { type: 'townlike' } }],
      ['a schema that is no object', { json_schema: [] }],
      ['an expiry of nothing', { expires_in_seconds: 0 }],
      ['an expiry of a fraction', { expires_in_seconds: 1.5 }],
      ['no room for an answer', { max_output_tokens: 0 }],
      ['an unknown field', { promt: 'x' }],
    ])('refuses %s', async (_, body) => {
      const answer = await post(product, body);
      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    });
  });

  it('bounds what one team has pending', async () => {
    const product = await start({ env: { QB_GENERATION_MAX_PENDING_PER_TEAM: '5' } });
    product.emulator.script([{ match: {}, action: { hold: true } }]);
    const blue = await product.createTeam('blue');
    const answers = await Promise.all(Array.from({ length: 9 }, () => post(product, {}, { key: blue.key })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.body).toMatchObject({ code: 'too_many_requests' });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    // Another team has its own room, and an end makes room again.
    expect((await post(product, {})).status).toBe(202);
    const running = answers.find(({ status }) => status === 202)?.body.id ?? '';
    const call = { method: 'POST', key: blue.key };
    expect((await product.call(`/api/generations/${running}/cancel`, call)).status).toBe(202);
    expect((await post(product, {}, { key: blue.key })).status).toBe(202);
  });

  it('limits the rate of each key, and says when it may come again', async () => {
    const product = await start({ env: { QB_RATE_LIMIT_PER_MINUTE: '4' } });
    const { status, headers } = await product.call('/api/generations');
    expect({ status, limit: headers.get('x-ratelimit-limit') }).toEqual({ status: 200, limit: '4' });
    for (const path of ['/api/usage', '/api/sessions', '/api/generations']) {
      expect((await product.call(path)).status).toBe(200);
    }
    const refused = await product.call('/api/usage');
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    // Nobody else is held up, and what needs no key is not counted.
    expect((await product.call('/health/live', { key: null })).status).toBe(200);
    expect((await product.call('/api/usage', { key: 'unknown' })).status).toBe(401);
  });

  it('cancels what waits and what runs, and does so once', async () => {
    const product = await start({ env: { QB_GENERATION_TEAM_LIMIT: '1' } });
    product.emulator.script([{ match: {}, action: { hold: true } }]);
    const running = (await post(product, {})).body.id;
    await product.emulator.untilHeld(1);
    const waiting = (await post(product, {})).body.id;
    await eventually('the second waits for a slot', async () => {
      const { caps } = await product.queue();
      return caps.some(({ name, waiting: count }) => name.startsWith('generations:') && count === 1);
    });

    for (const id of [waiting, running]) {
      const cancelled = await product.call<GenerationDto>(`/api/generations/${id}/cancel`, {
        method: 'POST',
      });
      expect(cancelled).toMatchObject({ status: 202, body: { status: 'cancelled' } });
      const again = await product.call(`/api/generations/${id}/cancel`, { method: 'POST' });
      expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
    }
    await product.emulator.until(({ llm }) => llm.in_flight === 0, 2_000);
    await product.drained();
    expect(product.emulator.stats().llm.requests).toBe(1);
    expect(await product.usage()).toEqual([]);
  });
});
