import { newId } from '@app/kernel';
import { DataSource } from 'typeorm';
import { eventually } from './eventually';
import { Product } from './product';

/** The budget of the scenario, and the longest countdown between its tries. */
const BUDGET = 5;
const COUNTDOWN_MAX_MS = 200;

/**
 * Lets a backlog drain through a cap of one, which takes longer than the budget of tries lasts, and asserts that
 * nobody fails, each runs once and each is billed once.
 */
export async function drainBacklog(sessions: number, withinMs: number): Promise<void> {
  const product = await Product.start({
    env: {
      QB_ASR_CONCURRENCY_LIMIT: '1',
      QB_LLM_CONCURRENCY_LIMIT: '16',
      QB_REQUEUE_BUDGET: String(BUDGET),
      QB_REQUEUE_MIN_MS: '100',
      QB_REQUEUE_MAX_MS: String(COUNTDOWN_MAX_MS),
      QB_RECONCILE_INTERVAL_MS: '300',
    },
    emulator: { holdMs: { asr: 20, llm: 0 } },
  });
  try {
    const database = product.get(DataSource);
    const campaignId = await product.createCampaign();
    const { body: first } = await product.upload(campaignId);
    await product.finished([first.id]);
    product.emulator.reset();

    // Rows alone, which the reconciler enqueues, all of one recording.
    await database.query(
      `INSERT INTO sessions (id, team_id, campaign_id, status, phase, recording_key, audio_bytes,
         audio_duration_seconds, audio_content_type)
       SELECT unnest($2::uuid[]), team_id, campaign_id, 'queued', 'asr', recording_key, audio_bytes,
         audio_duration_seconds, audio_content_type
       FROM sessions WHERE id = $1`,
      [first.id, Array.from({ length: sessions }, () => newId())],
    );
    const startedAt = performance.now();
    await eventually(
      'all have ended',
      async () => {
        const [{ left }] = await database.query<[{ left: number }]>(
          'SELECT count(*)::int AS left FROM sessions WHERE finished_at IS NULL',
        );
        return left === 0;
      },
      { withinMs },
    );
    // Or it would prove nothing.
    expect(performance.now() - startedAt).toBeGreaterThan(BUDGET * COUNTDOWN_MAX_MS);

    const outcomes = await database.query<object[]>(
      'SELECT status, error_code, count(*)::int AS count FROM sessions GROUP BY 1, 2',
    );
    expect(outcomes).toEqual([{ status: 'completed', error_code: null, count: sessions + 1 }]);
    const usage = await database.query<object[]>(
      'SELECT count(*)::int AS rows, count(DISTINCT session_id)::int AS sessions FROM session_usage',
    );
    expect(usage).toEqual([{ rows: sessions + 1, sessions: sessions + 1 }]);
    expect(product.emulator.stats().asr).toEqual({ in_flight: 0, peak: 1, requests: sessions });
    await product.drained();
  } finally {
    await product.stop();
  }
}
