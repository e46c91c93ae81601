import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatorStats } from '../apps/emulator/src';
import { Product, readSample } from '../test/support/product';
import type { BenchWorld } from './bench-world';
import { startProcess } from './contended';
import { median } from './statistics';

const SESSIONS = 64;
const CAP = 2;
const HOLD_MS = 500;
const POLL_MS = 250;

/** The product's own; tests shorten them. */
const DEFAULTS = {
  QB_REQUEUE_MIN_MS: '20000',
  QB_REQUEUE_MAX_MS: '40000',
  QB_RECONCILE_INTERVAL_MS: '30000',
};

export interface PipelineRun {
  readonly makespanMs: number;
  /** What the ASR calls alone need, and one recap after the last. */
  readonly floorMs: number;
  readonly peak: number;
}

/** A burst of recordings through the whole product: upload, transcript, recap. */
export async function runPipeline(world: BenchWorld): Promise<PipelineRun> {
  process.env['QB_TEST_DATABASE_URL'] = world.databaseUrl;
  process.env['QB_TEST_REDIS_URL'] = world.redisUrl;
  const provider = startProcess('emulator-process.ts', { holdMs: { asr: HOLD_MS, llm: 20 } });
  const [url] = (await once(provider, 'message')) as [string];
  const product = await Product.start({
    env: { ...DEFAULTS, QB_ASR_BASE_URL: url, QB_LLM_BASE_URL: url, QB_ASR_CONCURRENCY_LIMIT: String(CAP) },
  });
  try {
    const campaignId = await product.createCampaign();
    const audio = await readSample(0);
    const alone: number[] = [];
    for (let i = 0; i < 3; i += 1) alone.push((await runSessions(product, campaignId, audio, 1)) - HOLD_MS);
    const makespanMs = await runSessions(product, campaignId, audio, SESSIONS);
    const { asr } = (await (await fetch(`${url}/emulator/stats`)).json()) as EmulatorStats;
    return { makespanMs, floorMs: (SESSIONS / CAP) * HOLD_MS + median(alone), peak: asr.peak };
  } finally {
    await product.stop();
    provider.disconnect();
  }
}

/** From the first upload to the end of the last recap, by the sessions' own times. */
async function runSessions(
  product: Product,
  campaignId: string,
  audio: Buffer,
  count: number,
): Promise<number> {
  const before = (await product.usage()).length;
  const uploads = await Promise.all(Array.from({ length: count }, () => product.upload(campaignId, audio)));
  // One small question now and then: the product must not be busy with being asked.
  while ((await product.usage()).length < before + count) await sleep(POLL_MS);
  const sessions = await product.finished(uploads.map(({ body }) => body.id));
  const failed = sessions.filter(({ status }) => status !== 'completed');
  if (failed.length > 0) throw new Error(`${failed.length} sessions failed`);
  const created = sessions.map(({ created_at }) => Date.parse(created_at));
  const finished = sessions.map(({ finished_at }) => Date.parse(finished_at ?? ''));
  return Math.max(...finished) - Math.min(...created);
}
