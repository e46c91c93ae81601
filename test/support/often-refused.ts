import { type Product, type ProductOptions } from './product';
import { silentWav } from './silent-wav';

export const OFTEN_REFUSED: ProductOptions = {
  env: { QB_ASR_CONCURRENCY_LIMIT: '8', QB_LLM_CONCURRENCY_LIMIT: '8' },
  emulator: { holdMs: { asr: 20, llm: 10 } },
};

/** How often providers refuse: `asr` and `llm` 429s in all over so many sessions. */
export interface OftenRefused {
  readonly sessions: number;
  /** At least two for each session. */
  readonly asr: number;
  /** At least one for each session, at most two, since three in a row for one call end it. */
  readonly llm: number;
  /** Seconds. */
  readonly retryAfter: number;
}

/** Uploads recordings of different lengths, so that each provider call has a content of its own. */
export async function uploadDifferent(product: Product, count: number): Promise<string[]> {
  const campaignId = await product.createCampaign();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await product.upload(campaignId, silentWav(1 + index / 10))).body.id);
  }
  return ids;
}

/** Every session completes, each refusal cost one more request and nothing else, and shows in a retry count. */
export async function expectRefusedOftenToComplete(
  product: Product,
  { sessions: count, asr: asrRefusals, llm: llmRefusals, retryAfter }: OftenRefused,
  withinMs = 90_000,
): Promise<void> {
  const refusal = { error: 'rate_limited', retry_after: retryAfter } as const;
  product.emulator.script([
    { match: { kind: 'asr', send: [1, 2] }, action: refusal },
    { match: { kind: 'asr', send: 3, times: asrRefusals - 2 * count }, action: refusal },
    { match: { kind: 'llm', send: 1 }, action: refusal },
    { match: { kind: 'llm', send: 2, times: llmRefusals - count }, action: refusal },
  ]);
  const sessions = await product.finished(await uploadDifferent(product, count), withinMs);
  expect(sessions.map(({ status, error }) => error?.message ?? status)).toEqual(
    Array(count).fill('completed'),
  );
  const { asr, llm } = product.emulator.stats();
  expect({ asr: asr.requests, llm: llm.requests }).toEqual({
    asr: count + asrRefusals,
    llm: count + llmRefusals,
  });
  expect(asr.peak).toBeLessThanOrEqual(8);
  const usage = await product.usage();
  expect(usage).toHaveLength(count);
  expect(usage.reduce((sum, { retry_count }) => sum + retry_count, 0)).toBeGreaterThanOrEqual(
    asrRefusals + llmRefusals,
  );
  expect(usage.every(({ llm_calls }) => llm_calls === 1)).toBe(true);
  await product.drained();
}
