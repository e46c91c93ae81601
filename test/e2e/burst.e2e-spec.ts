import { Product, readSample } from '../support/product';

const CAP = 2;
const SESSIONS = 8;

describe('a burst of eight recordings against a cap of two', () => {
  let product: Product;

  beforeAll(async () => {
    // So short a countdown that the last in line tries more often than any failure would be retried: a park that
    // counted as one would fail the session.
    product = await Product.start({
      env: { QB_ASR_CONCURRENCY_LIMIT: String(CAP), QB_REQUEUE_MIN_MS: '100', QB_REQUEUE_MAX_MS: '150' },
      emulator: { holdMs: { asr: 400, llm: 20 } },
    });
  });

  afterAll(() => product.stop());

  it('costs latency and no failures: the provider sees exactly two at once and nothing stays behind', async () => {
    const campaignId = await product.createCampaign();
    const uploads = await Promise.all(
      Array.from({ length: SESSIONS }, async (_, index) =>
        product.upload(campaignId, await readSample(index)),
      ),
    );
    expect(uploads.map(({ status }) => status)).toEqual(Array(SESSIONS).fill(202));

    const sessions = await product.finished(uploads.map(({ body }) => body.id));
    expect(sessions.map(({ status, error }) => ({ status, error }))).toEqual(
      Array(SESSIONS).fill({ status: 'completed', error: null }),
    );
    const { asr, llm } = product.emulator.stats();
    expect({ peak: asr.peak, requests: asr.requests }).toEqual({ peak: CAP, requests: SESSIONS });
    expect({ peak: llm.peak, requests: llm.requests }).toEqual({ peak: 1, requests: SESSIONS });

    const usage = await product.usage();
    expect(usage.map(({ status, run }) => ({ status, run }))).toEqual(
      Array(SESSIONS).fill({ status: 'completed', run: 1 }),
    );
    expect(new Set(usage.map(({ session_id }) => session_id)).size).toBe(SESSIONS);
    // Six had to wait at the least, and each wait shows in its row.
    expect(usage.filter(({ retry_count }) => retry_count > 0).length).toBeGreaterThanOrEqual(SESSIONS - CAP);
    expect(Math.max(...usage.map(({ retry_count }) => retry_count))).toBeGreaterThan(3);
    await product.drained();
  });

  it('writes the row of a run that failed having consumed nothing (the control of "a re-queue writes none")', async () => {
    product.emulator.script({ rules: [{ match: { kind: 'asr' }, action: { status: 400 } }] });
    const { body } = await product.upload(await product.createCampaign());
    const [session] = await product.finished([body.id]);
    expect(session).toMatchObject({ status: 'failed', error: { code: 'provider_rejected' } });
    const row = (await product.usage()).find(({ session_id }) => session_id === body.id);
    expect(row).toMatchObject({ status: 'failed', audio_seconds: 0, llm_calls: 0, cost_micros: 0 });
    await product.drained();
  });
});
