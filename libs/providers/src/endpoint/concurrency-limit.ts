import type { ProviderName } from './provider-endpoint';

/** Where a limit comes from; `override` is laid over these by the semaphore itself. */
export type LimitSource = 'environment' | 'advertised' | 'declared' | 'none';

export interface ConcurrencyLimit {
  /** Calls at once; null is uncapped. */
  readonly limit: number | null;
  readonly limitSource: LimitSource;
}

/**
 * What each server is known to bear when nobody says otherwise. One GPU works on one thing at a time
 * (whisperx, ollama); llama.cpp is usually started with a few slots, and says so itself; hosted APIs are
 * uncapped: their 429 is the signal.
 */
const DECLARED_LIMITS: Readonly<Record<ProviderName, number | null>> = {
  whisperx: 1,
  ollama: 1,
  llamacpp: 2,
  openai: null,
  anthropic: null,
  stub: null,
};

/** Environment beats what the server advertises, which beats what its adapter declares; 0 and empty are unset. */
export function resolveLimit(
  provider: ProviderName,
  known: { readonly environment?: number | null; readonly advertised?: number | null },
): ConcurrencyLimit {
  if (known.environment) return { limit: known.environment, limitSource: 'environment' };
  if (known.advertised) return { limit: known.advertised, limitSource: 'advertised' };
  const declared = DECLARED_LIMITS[provider];
  return declared === null
    ? { limit: null, limitSource: 'none' }
    : { limit: declared, limitSource: 'declared' };
}
