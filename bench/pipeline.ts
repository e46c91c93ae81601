import { setTimeout as sleep } from 'node:timers/promises';
import { type Product, readSample } from '../test/support/product';
import type { BenchWorld } from './bench-world';
import { statsOf, withProduct } from './emulated-provider';
import { median } from './statistics';

const SESSIONS = 64;
const CAP = 2;
const HOLD_MS = 500;
const POLL_MS = 250;

export interface PipelineRun {
  readonly makespanMs: number;
  /** What the ASR calls alone need, and one recap after the last. */
  readonly floorMs: number;
  readonly peak: number;
}

/** A burst of recordings through the whole product: upload, transcript, recap. */
export async function runPipeline(world: BenchWorld): Promise<PipelineRun> {
  return withProduct(world, { asrSlots: CAP, holdMs: { asr: HOLD_MS, llm: 20 } }, async (product, url) => {
    const campaignId = await product.createCampaign();
    const audio = await readSample(0);
    const alone: number[] = [];
    for (let i = 0; i < 3; i += 1) alone.push((await runSessions(product, campaignId, audio, 1)) - HOLD_MS);
    const makespanMs = await runSessions(product, campaignId, audio, SESSIONS);
    const { asr } = await statsOf(url);
    return { makespanMs, floorMs: (SESSIONS / CAP) * HOLD_MS + median(alone), peak: asr.peak };
  });
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
