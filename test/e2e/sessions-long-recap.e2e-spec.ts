import { DataSource } from 'typeorm';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { Product } from '../support/product';

jest.setTimeout(100_000);

const CHUNK_CHARS = 500;

/** About six chunks of speech, and no two alike. */
const LONG_SPEECH = Array.from(
  { length: 50 },
  (_, index) => `In room ${index} we found ${index * 7} coins and one more door.`,
).join(' ');

describe('a transcript longer than the model reads at once', () => {
  let product: Product;
  let campaignId: string;

  async function start(processes: 'standalone' | 'api', env: Record<string, string> = {}): Promise<void> {
    product = await Product.start({
      processes,
      env: {
        QB_SUMMARY_CHUNK_CHARS: String(CHUNK_CHARS),
        QB_REQUEUE_MIN_MS: '100',
        QB_REQUEUE_MAX_MS: '200',
        ...env,
      },
    });
    campaignId = await product.createCampaign();
  }
  afterEach(() => product.stop());

  const speech = { match: { kind: 'asr' }, action: { text: LONG_SPEECH } } as const;

  async function meterLines(sessionId: string): Promise<Array<{ step: string; calls: number }>> {
    return product
      .get(DataSource)
      .query(
        `SELECT step, calls FROM meter_lines WHERE session_id = $1 AND kind = 'llm' ORDER BY created_at`,
        [sessionId],
      );
  }

  function chunkNumbers(steps: readonly string[]): number[] {
    return steps.filter((step) => step.startsWith('llm:0:')).map((step) => Number(step.split(':')[2]));
  }

  it('is recapped chunk by chunk, each metered once, and summed into the one row', async () => {
    await start('standalone');
    product.emulator.script([speech, { match: { kind: 'llm' }, action: { text: 'They found coins.' } }]);
    const { body } = await product.upload(campaignId);
    const [session] = await product.finished([body.id]);
    expect(session).toMatchObject({ status: 'completed', recap: 'They found coins.', retry_count: 0 });

    const lines = await meterLines(body.id);
    const { requests } = product.emulator.stats().llm;
    expect(lines).toHaveLength(requests);
    const chunks = chunkNumbers(lines.map(({ step }) => step));
    expect(chunks.length).toBeGreaterThanOrEqual(5);
    expect(chunks).toEqual(chunks.map((_, index) => index));
    const [row] = await product.usage();
    expect(row).toMatchObject({ status: 'completed', llm_calls: requests });
    const left = await product.get(DataSource).query<object[]>('SELECT 1 FROM recap_parts');
    expect(left).toEqual([]);
    await product.drained();
  });

  it('waits in place for its later chunks while another session has the slot, and goes on before it is parked', async () => {
    await start('standalone', { QB_LLM_CONCURRENCY_LIMIT: '1' });
    product.emulator.script([
      speech,
      { match: { kind: 'llm', nth: 2 }, action: { error: 'rate_limited', retry_after: 0.5 } },
      { match: { kind: 'llm' }, action: { text: 'They found coins.' } },
    ]);
    const ids = [(await product.upload(campaignId)).body.id, (await product.upload(campaignId)).body.id];
    const sessions = await product.finished(ids, 40_000);
    expect(sessions.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(product.emulator.stats().llm.peak).toBe(1);
    await product.drained();
  });

  it('parks at its last chunk when its wait in place is over, and resumes at the next one', async () => {
    await start('standalone', { QB_LLM_MAX_WAIT_MS: '300' });
    product.emulator.script([
      speech,
      { match: { kind: 'llm', nth: 3 }, action: { error: 'rate_limited', retry_after: 1.5 } },
      { match: { kind: 'llm' }, action: { text: 'They found coins.' } },
    ]);
    const { body } = await product.upload(campaignId);
    const [session] = await product.finished([body.id]);
    expect(session).toMatchObject({ status: 'completed' });
    expect(session?.retry_count).toBeGreaterThan(0);
    const lines = await meterLines(body.id);
    expect(product.emulator.stats().llm.requests).toBe(lines.length + 1);
    await product.drained();
  });

  it('resumes at the next chunk when its worker is killed in the middle', async () => {
    await start('api', { QB_JOB_LOCK_MS: '1500', QB_STALLED_INTERVAL_MS: '300' });
    product.emulator.script([
      speech,
      { match: { kind: 'llm', nth: 4 }, action: { hold: true } },
      { match: { kind: 'llm' }, action: { text: 'They found coins.' } },
    ]);
    const doomed = await BuiltProcess.start('worker', product.processEnv);
    const { body } = await product.upload(campaignId);
    await product.emulator.untilHeld(1, 30_000);
    await eventually('three chunks are kept', async () => (await meterLines(body.id)).length === 3);
    await doomed.kill();
    const successor = await BuiltProcess.start('worker', product.processEnv);
    try {
      const [session] = await product.finished([body.id], 30_000);
      expect(session).toMatchObject({ status: 'completed', run: 1 });
      const lines = await meterLines(body.id);
      const chunks = chunkNumbers(lines.map(({ step }) => step));
      expect(chunks).toEqual(chunks.map((_, index) => index));
      // Only the call that died was sent twice.
      expect(product.emulator.stats()).toMatchObject({
        asr: { requests: 1 },
        llm: { requests: lines.length + 1 },
      });
      expect(await product.usage()).toMatchObject([{ status: 'completed', llm_calls: lines.length }]);
      await product.drained();
    } finally {
      await successor.stop();
    }
  });
});
