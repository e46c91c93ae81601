import { setTimeout as sleep } from 'node:timers/promises';
import type { Product } from '../test/support/product';
import { silentWav } from '../test/support/silent-wav';
import type { BenchWorld } from './bench-world';
import { withProduct } from './emulated-provider';
import { quantile } from './statistics';

const WARM_UP = 8;
const SESSIONS = 30;
const CAP = 2;
const MOST_UNITS = 20;
/** How long the provider takes for one second of audio. */
const UNIT_MS = 400;
/** Its own irregularity: up to so much faster or slower. */
const NOISE = 0.15;
/** A short wait is judged by what a reader of it would notice. */
const SHORT_MS = 5_000;
const TOLERANCE_MS = 2_000;
const POLL_MS = 100;

/** One session of the burst, in ms from the moment of the prediction. */
export interface PredictedWait {
  readonly predictedMs: number;
  readonly realMs: number;
}

export interface EstimateRun {
  readonly waits: readonly PredictedWait[];
  /** Of the first prediction, as a share of the real wait. */
  readonly medianError: number;
  readonly p90Error: number;
}

/**
 * A burst of recordings of 1 to 20 seconds through the whole product, after eight to learn from: the first wait that a
 * session's page tells, beside the wait that came.
 */
export async function measureEstimates(world: BenchWorld): Promise<EstimateRun> {
  return withProduct(world, { asrSlots: CAP, holdMs: { llm: 20 } }, async (product, url) => {
    const random = seeded(20_261_201);
    const units = Array.from({ length: WARM_UP + SESSIONS }, () => 1 + Math.floor(random() * MOST_UNITS));
    const rules = units.map((count, index) => ({
      match: { kind: 'asr', nth: index + 1 },
      action: { delay_ms: Math.round(count * UNIT_MS * (1 + NOISE * (2 * random() - 1))) },
    }));
    await fetch(`${url}/emulator/script`, { method: 'PUT', body: JSON.stringify({ rules }) });
    const campaignId = await product.createCampaign();
    const upload = async (count: number): Promise<string> =>
      (await product.upload(campaignId, silentWav(count))).body.id;
    const warm: string[] = [];
    for (const count of units.slice(0, WARM_UP)) warm.push(await upload(count));
    await product.finished(warm, 120_000);

    const waits: Promise<PredictedWait | null>[] = [];
    for (const count of units.slice(WARM_UP)) waits.push(watch(product, await upload(count)));
    const told = (await Promise.all(waits)).filter((wait) => wait !== null);
    const errors = told.map(errorOf);
    return { waits: told, medianError: quantile(errors, 0.5), p90Error: quantile(errors, 0.9) };
  });
}

/** Null when the session started before any wait was told. */
async function watch(product: Product, id: string): Promise<PredictedWait | null> {
  let told: { readonly at: number; readonly predictedMs: number } | undefined;
  for (;;) {
    const { processing_wait: wait, started_at: startedAt, status } = await product.getSession(id);
    if (startedAt !== null) {
      return told ? { predictedMs: told.predictedMs, realMs: Date.parse(startedAt) - told.at } : null;
    }
    if (status === 'failed') throw new Error('A session of the burst failed');
    if (!told && typeof wait?.estimated_seconds === 'number') {
      told = { at: Date.now(), predictedMs: wait.estimated_seconds * 1_000 };
    }
    await sleep(POLL_MS);
  }
}

function errorOf({ predictedMs, realMs }: PredictedWait): number {
  const offMs = Math.abs(predictedMs - realMs);
  if (realMs < SHORT_MS && offMs <= TOLERANCE_MS) return 0;
  return offMs / Math.max(realMs, 1);
}

/** The same durations in every run (a linear congruential generator, constants of Numerical Recipes). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
