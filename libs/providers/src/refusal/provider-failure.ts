/** The provider said no; see design.md 8. `code`s of our errors are these with `provider_` in front. */
export type Refusal = 'rate_limited' | 'overloaded' | 'quota_exhausted' | 'rejected';

/** Refusals that waiting can cure: the endpoint's gate is closed and the call comes back later. */
export type CurableRefusal = Extract<Refusal, 'rate_limited' | 'overloaded'>;

/** The call ended without a result, and nobody said no. */
export type Breakage = 'failed' | 'unreachable' | 'timeout';

/**
 * Why a send gave no result, free of anything the other side wrote: a status, a code of the network layer
 * and the pause it asked for, never a body or a message, which may echo a key.
 */
export interface ProviderFailure {
  readonly what: Refusal | Breakage;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** For instance `ECONNRESET`, from a closed alphabet of the network layer. */
  readonly networkCode?: string;
  /** Pause the provider asked for, in ms, not yet clamped or jittered; undefined when it named no usable one. */
  readonly retryAfterMs?: number;
}

export function isCurable(what: Refusal | Breakage): what is CurableRefusal {
  return what === 'rate_limited' || what === 'overloaded';
}

export function isRefusal(what: Refusal | Breakage): what is Refusal {
  return isCurable(what) || what === 'quota_exhausted' || what === 'rejected';
}
