import { consumedBy } from '@app/providers';
import { DIALECTS, type Dialect, ProviderWorld } from './provider-world';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'names'],
  properties: { title: { type: 'string' }, names: { type: 'array', items: { type: 'string' } } },
};

function caught(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: Record<string, unknown>) => error,
  );
}

describe.each(DIALECTS)('$kind through $provider', (dialect: Dialect) => {
  let world: ProviderWorld;
  const isLlm = dialect.kind === 'llm';

  beforeAll(async () => {
    world = await ProviderWorld.start(dialect);
  });
  afterEach(() => world.renew());
  afterAll(() => world.stop());

  describe('success', () => {
    it('is one request, with its result and its meter', async () => {
      const parts = await world.process();
      const result = await world.inRequest(() => world.ask(parts));
      expect(result.text).not.toBe('');
      expect(result.meter).toMatchObject({ provider: dialect.provider, calls: 1, estimated: false });
      expect(world.emulator.log().items).toMatchObject([
        { dialect: dialect.provider, status: 200, outcome: 'answered' },
      ]);
    });

    it('comes when the answer trickles in', async () => {
      world.emulator.script([{ action: { trickle: { bytes: 40, every_ms: 1 } } }]);
      const parts = await world.process();
      expect((await world.inRequest(() => world.ask(parts))).text).not.toBe('');
    });
  });

  if (isLlm) {
    describe('structured output', () => {
      const ask = async (settings = {}) => {
        const parts = await world.process(settings);
        const place = { placeId: 's', group: 'team' };
        return world.inJob(() =>
          parts.dispatch.generateStructuredText({ use: 'llm', prompt: 'Names', schema: SCHEMA, place }),
        );
      };

      it("is asked for by the dialect's own means", async () => {
        const { json, meter } = await ask();
        expect(json).toEqual({ title: expect.any(String) as string, names: expect.any(Array) as unknown[] });
        expect(meter.calls).toBe(1);
      });

      it('is repaired once', async () => {
        world.emulator.script([{ match: { nth: 1 }, action: { text: '{"names":["one"]}' } }]);
        const { meter } = await ask();
        expect(meter).toMatchObject({ calls: 2 });
        expect(world.requests).toBe(2);
      });

      it('fails typed when the repair does not help', async () => {
        world.emulator.script([{ action: { text: 'I would rather not.' } }]);
        const error = await caught(ask());
        expect(error).toMatchObject({ code: 'provider_failed' });
        expect(consumedBy(error)).toMatchObject({ calls: 2 });
        expect(world.requests).toBe(2);
      });
    });

    it('guesses the tokens, and says so, where none are reported', async () => {
      world.emulator.script([{ action: { usage: false } }]);
      const parts = await world.process();
      const { meter } = await world.inRequest(() => world.ask(parts));
      expect(meter).toMatchObject({ estimated: true });
      expect((meter as unknown as { outputTokens: number }).outputTokens).toBeGreaterThan(0);
    });
  }

  describe('refusals', () => {
    it.each([
      ['rate_limited', 'provider_rate_limited'],
      ['overloaded', 'provider_overloaded'],
      ['loading_model', 'provider_overloaded'],
      ['maximum_pending_requests', 'provider_overloaded'],
      ['insufficient_quota', 'provider_quota_exhausted'],
      ['invalid_request', 'provider_rejected'],
      ['unauthorized', 'provider_rejected'],
      ['forbidden', 'provider_rejected'],
      ['not_found', 'provider_rejected'],
      ['too_large', 'provider_rejected'],
      ['server_error', 'provider_failed'],
      ['bad_gateway', 'provider_failed'],
      ['gateway_timeout', 'provider_failed'],
    ] as const)('takes %s for %s, after one request', async (error, code) => {
      world.emulator.script([{ action: { error } }]);
      const parts = await world.process();
      expect(await caught(world.inRequest(() => world.ask(parts)))).toMatchObject({ code });
      expect(world.requests).toBe(1);
    });

    it.each([[402], [429], [503], [529]])('understands a bare %i from a proxy', async (status) => {
      world.emulator.script([{ action: { status, body: '<html>no</html>' } }]);
      const parts = await world.process();
      const code =
        { 402: 'provider_quota_exhausted', 429: 'provider_rate_limited' }[status] ?? 'provider_overloaded';
      expect(await caught(world.inRequest(() => world.ask(parts)))).toMatchObject({ code });
    });

    it('hears one that comes before the body has been read', async () => {
      world.emulator.script([{ action: { before_body: true, status: 429, retry_after: 3 } }]);
      const parts = await world.process();
      expect(await caught(world.inRequest(() => world.ask(parts)))).toMatchObject({
        code: 'provider_rate_limited',
      });
    });

    it.each([
      ['seconds', 2, 2_000],
      ['fractions', 1.25, 1_250],
      ['milliseconds, which win', [{ ms: 900 }, 7], 900],
      ['the later of two', [2, 4], 4_000],
      ['an HTTP date', { date_in_seconds: 5 }, 5_000],
      ['an RFC 850 date', { date_in_seconds: 5, form: 'rfc850' }, 5_000],
      ['an asctime date', { date_in_seconds: 5, form: 'asctime' }, 5_000],
    ] as const)('passes on the time given in %s', async (_form, retryAfter, expectedMs) => {
      world.emulator.script([
        { action: { error: 'rate_limited', retry_after: retryAfter, date_skew_ms: 180_000 } },
      ]);
      const parts = await world.process();
      const { retryAfterMs } = await caught(world.inRequest(() => world.ask(parts)));
      expect(retryAfterMs).toBeGreaterThanOrEqual(expectedMs);
      expect(retryAfterMs).toBeLessThanOrEqual(expectedMs * 1.1 + 1);
    });
  });

  describe('a line that breaks', () => {
    it.each([
      [{ cut: 'before_headers' } as const, 'provider_failed'],
      [{ cut: 'mid_body' } as const, 'provider_failed'],
      [{ hang: 'before_headers' } as const, 'provider_timeout'],
      [{ hang: 'mid_body' } as const, 'provider_timeout'],
    ])('after %p ends as %s, with the connection closed', async (action, code) => {
      world.emulator.script([{ action }]);
      const timeoutMs = 'hang' in action ? 300 : 20_000;
      const parts = await world.process({ QB_ASR_TIMEOUT_MS: timeoutMs, QB_LLM_TIMEOUT_MS: timeoutMs });
      expect(await caught(world.inRequest(() => world.ask(parts)))).toMatchObject({ code });
      await world.emulator.until((stats) => stats[dialect.kind].in_flight === 0, 2_000);
      expect(world.requests).toBe(1);
    });

    it.each([
      ['before the headers', { hang: 'before_headers' } as const],
      ['in mid-body', { hang: 'mid_body' } as const],
    ])('because the caller goes away %s is closed on the wire too', async (_when, action) => {
      world.emulator.script([{ action }]);
      const parts = await world.process();
      const gone = new AbortController();
      const asking = caught(world.inRequest(() => world.ask(parts, { signal: gone.signal })));
      await world.emulator.until((stats) => stats[dialect.kind].in_flight === 1);
      gone.abort(new Error('gone'));
      expect((await asking)['message']).toBe('gone');
      await world.emulator.until((stats) => stats[dialect.kind].in_flight === 0, 2_000);
      expect(world.emulator.log().items).toMatchObject([{ outcome: 'closed_early' }]);
    });
  });

  it.each(['empty', 'html', 'truncated', 'error_body'] as const)(
    'takes a 200 that is %s for a failure',
    async (no_result) => {
      world.emulator.script([{ action: { no_result } }]);
      const parts = await world.process();
      expect(await caught(world.inRequest(() => world.ask(parts)))).toMatchObject({
        code: 'provider_failed',
      });
      expect(world.requests).toBe(1);
    },
  );

  if (['openai', 'llamacpp', 'anthropic'].includes(dialect.provider)) {
    it('takes an overload inside a 200 for an overload', async () => {
      world.emulator.script([{ action: { stream_error: 'overloaded' } }]);
      const parts = await world.process();
      expect(await caught(world.inRequest(() => world.ask(parts)))).toMatchObject({
        code: 'provider_overloaded',
      });
    });
  }
});
