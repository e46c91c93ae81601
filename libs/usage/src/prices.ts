import prices from './prices.json';

interface LlmPrice {
  readonly inputPerMillionMicros: number;
  readonly outputPerMillionMicros: number;
}

interface AsrPrice {
  readonly perHourMicros: number;
}

type PriceList<P> = Readonly<Record<string, Readonly<Record<string, P>>>>;

const LLM_PRICES: PriceList<LlmPrice> = prices.llm;
const ASR_PRICES: PriceList<AsrPrice> = prices.asr;

const PER_MILLION = 1_000_000n;
const MS_PER_HOUR = 3_600_000n;

/** Integer micro-units, rounded up: a call that consumed something never costs nothing by rounding. */
export function llmCostMicros(
  provider: string,
  model: string,
  inputTokens: number,
  outputTokens: number,
): number {
  const price = LLM_PRICES[provider]?.[model] ?? LLM_PRICES[provider]?.default;
  if (!price) return 0;
  const total =
    BigInt(inputTokens) * BigInt(price.inputPerMillionMicros) +
    BigInt(outputTokens) * BigInt(price.outputPerMillionMicros);
  return Number((total + PER_MILLION - 1n) / PER_MILLION);
}

/** Integer micro-units, rounded up. */
export function asrCostMicros(provider: string, model: string, audioSeconds: number): number {
  const price = ASR_PRICES[provider]?.[model] ?? ASR_PRICES[provider]?.default;
  if (!price) return 0;
  const audioMs = BigInt(Math.round(audioSeconds * 1_000));
  return Number((audioMs * BigInt(price.perHourMicros) + MS_PER_HOUR - 1n) / MS_PER_HOUR);
}
