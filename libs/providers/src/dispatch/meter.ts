import type { ProviderName } from '../endpoint/provider-endpoint';

/** What a call consumed, as the provider reported it. */
export interface Meter {
  readonly provider: ProviderName;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** True when the provider reported no amounts and these are our own guess. */
  readonly estimated: boolean;
  /** Answers that were paid for; sends that were refused are none. */
  readonly calls: number;
  /** Time on the wire, waiting excluded. */
  readonly durationMs: number;
  readonly audioSeconds?: number;
}

/** The usual rule of thumb for a token of running text. */
const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(...texts: Array<string | undefined>): number {
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The meter of two calls to one model, taken together. */
export function addMeters(first: Meter, second: Meter): Meter {
  return {
    ...second,
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    estimated: first.estimated || second.estimated,
    calls: first.calls + second.calls,
    durationMs: first.durationMs + second.durationMs,
  };
}
