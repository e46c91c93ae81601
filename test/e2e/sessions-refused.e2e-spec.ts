import type { SessionDto } from '../../libs/sessions/src/http/session-answers.dto';
import { readGates } from '../support/gate-log';
import { expectRefusedOftenToComplete, OFTEN_REFUSED, uploadDifferent } from '../support/often-refused';
import { Product, type ProductOptions, readSample } from '../support/product';

jest.setTimeout(100_000);

describe('sessions whose providers refuse', () => {
  const products: Product[] = [];

  async function start(options: ProductOptions = {}): Promise<Product> {
    const product = await Product.start(options);
    products.push(product);
    return product;
  }

  afterEach(async () => {
    for (const product of products.splice(0)) await product.stop();
  });

  function outcomes(sessions: readonly SessionDto[]): string[] {
    return sessions.map(({ status, error }) => (error ? `${status}: ${error.message}` : status));
  }

  it('every third of an ASR: eight complete, nothing is sent inside a gate, and one probe at its end', async () => {
    const product = await start({ emulator: { holdMs: { asr: 400, llm: 20 } } });
    product.emulator.script([
      { match: { kind: 'asr', every: 3 }, action: { error: 'rate_limited', retry_after: 2 } },
    ]);
    const campaignId = await product.createCampaign();
    const uploads = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => product.upload(campaignId, await readSample(index))),
    );
    const sessions = await product.finished(
      uploads.map(({ body }) => body.id),
      60_000,
    );
    expect(outcomes(sessions)).toEqual(Array(8).fill('completed'));
    expect(product.emulator.stats().asr.peak).toBe(2);

    const log = product.emulator.log().items.filter(({ kind }) => kind === 'asr');
    const gates = readGates(log, 2_000);
    expect(gates).toMatchObject({ inside: [], besideProbe: [] });
    expect(gates.refusals).toBeGreaterThanOrEqual(3);
    expect(log).toHaveLength(8 + gates.refusals);

    const usage = await product.usage();
    expect(usage.map(({ status, llm_calls }) => ({ status, llm_calls }))).toEqual(
      Array(8).fill({ status: 'completed', llm_calls: 1 }),
    );
    expect(sessions.some(({ retry_count }) => retry_count > 0)).toBe(true);
    await product.drained();
  });

  it('again and again at both, never three times in a row for one recap: ten complete', async () => {
    await expectRefusedOftenToComplete(await start(OFTEN_REFUSED), {
      sessions: 10,
      asr: 25,
      llm: 15,
      retryAfter: 0.1,
    });
  });

  it('three times in a row for one recap: it fails typed, keeps the transcript, and its retry pays no ASR', async () => {
    const product = await start();
    product.emulator.script([
      { match: { kind: 'llm', times: 3 }, action: { error: 'rate_limited', retry_after: 0.1 } },
    ]);
    const [id = ''] = await uploadDifferent(product, 1);
    const [failed] = await product.finished([id]);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limited' }, run: 1 });
    expect(product.emulator.stats()).toMatchObject({ asr: { requests: 1 }, llm: { requests: 3 } });
    expect((await product.call(`/api/sessions/${id}/transcript`)).status).toBe(200);

    const retried = await product.call<SessionDto>(`/api/sessions/${id}/retry`, { method: 'POST' });
    expect(retried).toMatchObject({ status: 202, body: { status: 'summarising', run: 2, retry_count: 0 } });
    const [completed] = await product.finished([id]);
    expect(completed).toMatchObject({ status: 'completed', error: null, run: 2 });
    expect(product.emulator.stats().asr.requests).toBe(1);
    const [second, first] = await product.usage();
    expect(first).toMatchObject({ run: 1, status: 'failed', llm_calls: 0 });
    expect(first?.audio_seconds).toBeGreaterThan(0);
    expect(second).toMatchObject({ run: 2, status: 'completed', audio_seconds: 0, llm_calls: 1 });
    await product.drained();
  });

  describe('for the whole budget', () => {
    const SHORT_BUDGET = { QB_REQUEUE_BUDGET: '4', QB_REQUEUE_MIN_MS: '100', QB_REQUEUE_MAX_MS: '150' };

    it('because our cap stays full: it fails with that wall in its message, and its retry completes', async () => {
      const product = await start({ env: { QB_ASR_CONCURRENCY_LIMIT: '1', ...SHORT_BUDGET } });
      product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
      const [holder = ''] = await uploadDifferent(product, 1);
      await product.emulator.untilHeld(1);
      const [id = ''] = await uploadDifferent(product, 1);
      const [failed] = await product.finished([id]);
      expect(failed).toMatchObject({
        status: 'failed',
        error: { code: 'capacity_exhausted', message: expect.stringMatching(/our cap of 1\b/i) },
      });
      expect((await product.queue()).endpoints.find(({ kind }) => kind === 'asr')).toMatchObject({
        in_use: 1,
        waiting: 0,
      });
      product.emulator.release();
      await product.finished([holder]);
      await product.drained();

      await product.call(`/api/sessions/${id}/retry`, { method: 'POST' });
      expect(outcomes(await product.finished([id]))).toEqual(['completed']);
      expect((await product.usage()).filter(({ session_id }) => session_id === id)).toMatchObject([
        { run: 2, status: 'completed' },
        { run: 1, status: 'failed', audio_seconds: 0, cost_micros: 0 },
      ]);
    });

    it('because the ASR only answers 429: it fails with that wall in its message, and its retry completes', async () => {
      const product = await start({ env: SHORT_BUDGET });
      product.emulator.script([{ match: { kind: 'asr' }, action: { error: 'rate_limited' } }]);
      const [id = ''] = await uploadDifferent(product, 1);
      const [failed] = await product.finished([id]);
      expect(failed).toMatchObject({
        status: 'failed',
        error: { code: 'capacity_exhausted', message: expect.stringContaining('429') },
      });
      await product.drained();

      product.emulator.reset();
      await product.call(`/api/sessions/${id}/retry`, { method: 'POST' });
      expect(outcomes(await product.finished([id]))).toEqual(['completed']);
    });
  });
});
