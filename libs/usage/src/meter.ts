import { asrCostMicros, llmCostMicros } from './prices';

/** What one call consumed, as the provider reported it; `estimated` where it reported nothing. */
export interface Meter {
  readonly kind: 'asr' | 'llm';
  readonly provider: string;
  readonly model: string;
  readonly audioSeconds?: number;
  readonly durationMs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly calls: number;
  readonly estimated: boolean;
}

/** The consumption columns of a usage row. */
export interface Consumption {
  asrProvider: string | null;
  audioSeconds: number;
  asrMs: number;
  llmProvider: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  llmCalls: number;
  estimated: boolean;
  costMicros: number;
}

/** Adds meters up into the one row; no meters give a row of zeros. */
export function sumMeters(meters: readonly Meter[]): Consumption {
  const sum: Consumption = {
    asrProvider: null,
    audioSeconds: 0,
    asrMs: 0,
    llmProvider: null,
    model: null,
    inputTokens: 0,
    outputTokens: 0,
    llmCalls: 0,
    estimated: false,
    costMicros: 0,
  };
  for (const meter of meters) {
    sum.estimated ||= meter.estimated;
    if (meter.kind === 'asr') {
      sum.asrProvider = meter.provider;
      sum.audioSeconds += meter.audioSeconds ?? 0;
      sum.asrMs += meter.durationMs;
      sum.costMicros += asrCostMicros(meter.provider, meter.model, meter.audioSeconds ?? 0);
    } else {
      sum.llmProvider = meter.provider;
      sum.model = meter.model;
      sum.inputTokens += meter.inputTokens ?? 0;
      sum.outputTokens += meter.outputTokens ?? 0;
      sum.llmCalls += meter.calls;
      sum.costMicros += llmCostMicros(
        meter.provider,
        meter.model,
        meter.inputTokens ?? 0,
        meter.outputTokens ?? 0,
      );
    }
  }
  return sum;
}
