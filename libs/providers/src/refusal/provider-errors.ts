import { AppError } from '@app/kernel';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { CurableRefusal, ProviderFailure } from './provider-failure';

/** Which endpoint a failure is about, as far as anyone may see it. */
export type FailedEndpoint = Pick<ProviderEndpoint, 'kind' | 'provider' | 'host'>;

/**
 * A call to a provider that gave no result. Messages and facts are made of our own words, the endpoint's
 * public name and a status. The cause is left out on purpose: what an SDK throws holds the upstream body,
 * the headers and the address with its key, and loggers print causes.
 */
export abstract class ProviderError extends AppError {
  readonly kind: ProviderEndpoint['kind'];
  readonly provider: ProviderEndpoint['provider'];
  readonly host: string;
  readonly status?: number;
  readonly networkCode?: string;
  /** False once every send of the call is used up: its job must not begin anew. */
  abstract override retryable: boolean;

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure, what: string) {
    super(`${endpoint.provider} at ${endpoint.host} ${what}${suffix(failure)}`);
    this.kind = endpoint.kind;
    this.provider = endpoint.provider;
    this.host = endpoint.host;
    this.status = failure.status;
    this.networkCode = failure.networkCode;
  }

  /** Says that no further send of this call is left. */
  markSpent(): this {
    this.retryable = false;
    return this;
  }

  override facts(): Readonly<Record<string, unknown>> {
    return {
      kind: this.kind,
      provider: this.provider,
      ...(this.status ? { upstream_status: this.status } : {}),
    };
  }
}

/** The provider asked us to come back later. */
export abstract class ProviderPauseError extends ProviderError {
  abstract readonly refusal: CurableRefusal;
  retryable = true;

  /** @param retryAfterMs how long the endpoint's gate stays closed */
  constructor(
    endpoint: FailedEndpoint,
    failure: ProviderFailure,
    what: string,
    readonly retryAfterMs: number,
  ) {
    super(endpoint, failure, what);
  }
}

/** 429: this call was sent and refused. The one class for rate limits, whoever's SDK reported them. */
export class ProviderRateLimitedError extends ProviderPauseError {
  readonly code = 'provider_rate_limited';
  readonly refusal = 'rate_limited';

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure, retryAfterMs: number) {
    super(endpoint, failure, 'limits the rate of requests', retryAfterMs);
  }
}

/** 503, 529 and kin: this call was sent, and the server had no room for it. */
export class ProviderOverloadedError extends ProviderPauseError {
  readonly code = 'provider_overloaded';
  readonly refusal = 'overloaded';

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure, retryAfterMs: number) {
    super(endpoint, failure, 'is overloaded', retryAfterMs);
  }
}

/** The account has no money or quota left: no waiting cures it. */
export class ProviderQuotaExhaustedError extends ProviderError {
  readonly code = 'provider_quota_exhausted';
  retryable = false;

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure) {
    super(endpoint, failure, 'reports that the quota of our account is used up');
  }
}

const REJECTION_HINTS: Readonly<Record<number, string>> = {
  401: 'does not accept our API key',
  403: 'does not allow us this request',
  404: 'does not know the route or the model',
  413: 'finds the request too large',
};

/** The request itself is not acceptable: the same one will never be. */
export class ProviderRejectedError extends ProviderError {
  readonly code = 'provider_rejected';
  retryable = false;

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure) {
    super(endpoint, failure, REJECTION_HINTS[failure.status ?? 0] ?? 'rejected the request');
  }
}

/** Statuses by which a middleman gives up on an answer that may be made, and paid for, all the same. */
const GIVEN_UP_BY_A_MIDDLEMAN = new Set([502, 504]);

/** A server error, a cut line, or an answer that is no result. */
export class ProviderFailedError extends ProviderError {
  readonly code = 'provider_failed';
  retryable: boolean;

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure) {
    super(endpoint, failure, 'gave no usable answer');
    this.retryable = !GIVEN_UP_BY_A_MIDDLEMAN.has(failure.status ?? 0);
  }
}

/** No connection came about: nothing was sent. */
export class ProviderUnreachableError extends ProviderError {
  readonly code = 'provider_unreachable';
  retryable = true;

  constructor(endpoint: FailedEndpoint, failure: ProviderFailure) {
    super(endpoint, failure, 'cannot be reached');
  }
}

/** Our own time limit ended the call; its connection is closed. */
export class ProviderTimeoutError extends ProviderError {
  readonly code = 'provider_timeout';
  retryable = true;

  constructor(
    endpoint: FailedEndpoint,
    readonly timeoutMs: number,
  ) {
    super(endpoint, { what: 'timeout' }, `did not answer within ${timeoutMs} ms`);
  }
}

/** @param pauseMs how long the gate was closed for; only curable refusals have one */
export function toProviderError(
  endpoint: ProviderEndpoint,
  failure: ProviderFailure,
  pauseMs: number,
): ProviderError {
  switch (failure.what) {
    case 'rate_limited':
      return new ProviderRateLimitedError(endpoint, failure, pauseMs);
    case 'overloaded':
      return new ProviderOverloadedError(endpoint, failure, pauseMs);
    case 'quota_exhausted':
      return new ProviderQuotaExhaustedError(endpoint, failure);
    case 'rejected':
      return new ProviderRejectedError(endpoint, failure);
    case 'unreachable':
      return new ProviderUnreachableError(endpoint, failure);
    case 'timeout':
      return new ProviderTimeoutError(endpoint, endpoint.timeoutMs);
    case 'failed':
      return new ProviderFailedError(endpoint, failure);
  }
}

function suffix({ status, networkCode }: ProviderFailure): string {
  const fact = status ? `status ${status}` : networkCode;
  return fact ? ` (${fact})` : '';
}
