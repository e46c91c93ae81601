import type { ProviderKind } from '../endpoint/provider-endpoint';

export interface PauseSettings {
  /** Bounds of a parked job's countdown, in ms: also the pause after an ASR refusal that names no time. */
  readonly requeueMinMs: number;
  readonly requeueMaxMs: number;
  /** Longest pause a provider may ask for, in ms. */
  readonly retryAfterMaxMs: number;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
const JITTER = 0.1;

/**
 * How long to keep away after a refusal or a broken send.
 *
 *     the provider named a time:  min(time, retryAfterMax) + up to 10 %, so that nobody comes early and not all at once
 *     ASR without one:            anywhere in requeueMin … requeueMax
 *     LLM without one:            1 s x 2^n, at most 30 s, less up to 10 %
 */
export class PausePolicy {
  constructor(
    private readonly settings: PauseSettings,
    private readonly random: () => number = Math.random,
  ) {}

  /** @param earlier refusals of the same call before this one */
  afterRefusal(kind: ProviderKind, retryAfterMs: number | undefined, earlier: number): number {
    if (retryAfterMs !== undefined) {
      const clampedMs = Math.min(retryAfterMs, this.settings.retryAfterMaxMs);
      return Math.ceil(clampedMs * (1 + JITTER * this.random()));
    }
    if (kind === 'llm') return this.backoff(earlier);
    const { requeueMinMs, requeueMaxMs } = this.settings;
    return Math.round(requeueMinMs + (requeueMaxMs - requeueMinMs) * this.random());
  }

  /** @param earlier sends of the same call that broke before this one */
  backoff(earlier: number): number {
    const fullMs = Math.min(FIRST_BACKOFF_MS * 2 ** earlier, LONGEST_BACKOFF_MS);
    return Math.round(fullMs * (1 - JITTER * this.random()));
  }
}
