import { JsonAnswer } from '../dispatch/json-answer';
import { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { Wire } from '../wire/provider-wire';
import { StubAdapter } from './stub.adapter';

const SCHEMAS = [
  {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'string', minLength: 9 }, b: { type: 'integer', minimum: 4 } },
  },
  { type: 'array', minItems: 3, items: { enum: ['x', 'y'] } },
  { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
  { type: ['number', 'null'] },
  { const: 7 },
  {},
];

function setup(baseUrl?: string) {
  const adapter = new StubAdapter();
  const endpoint = new ProviderEndpoint({
    kind: 'llm',
    provider: 'stub',
    baseUrl,
    model: 'stub',
    timeoutMs: 1_000,
  });
  const ending = new AbortController();
  const wire = { signal: ending.signal } as unknown as Wire;
  const ask = (schema?: object) =>
    adapter.generate({ endpoint, model: 'm', prompt: 'p', schema: schema as never }, wire);
  return { adapter, ask, ending };
}

describe('StubAdapter', () => {
  it.each(SCHEMAS.map((schema) => [schema]))('makes up an answer that fits %p', async (schema) => {
    const { text } = await setup().ask(schema);
    expect(new JsonAnswer(schema).judge(text)).toMatchObject({ fits: true });
  });

  it('says that nothing was generated', async () => {
    expect((await setup().ask()).text).toMatch(/^Stub answer .*nothing was generated/);
  });

  it('holds for as long as its address says, and counts what runs at once', async () => {
    const { adapter, ask } = setup('http://gpu:9000/?hold_ms=40');
    const startedAt = performance.now();
    await Promise.all([ask(), ask(), ask()]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(35);
    expect([adapter.peak, adapter.inFlight, adapter.requests]).toEqual([3, 0, 3]);
  });

  it('ends with the signal', async () => {
    const { adapter, ask, ending } = setup('http://gpu:9000/?hold_ms=60000');
    const asking = ask();
    ending.abort(new Error('gone'));
    await expect(asking).rejects.toThrow('gone');
    expect(adapter.inFlight).toBe(0);
  });
});
