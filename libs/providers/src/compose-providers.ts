import type { AppConfig } from '@app/config';
import type { Metrics } from '@app/observability';
import type { ProviderSlots } from '@app/provider-slots';
import type { RequestScope } from '@app/request-scope';
import { ProviderAdapters } from './adapters/provider-adapters';
import { SingleSend } from './dispatch/single-send';
import { SlottedCall } from './dispatch/slotted-call';
import { TextDispatch } from './dispatch/text-dispatch';
import { Transcriber } from './dispatch/transcriber';
import { AdvertisedConcurrency } from './endpoint/advertised-concurrency';
import { ProviderEndpoints } from './endpoint/provider-endpoints';
import { ProviderDispatch } from './provider-dispatch';
import { PausePolicy } from './refusal/pause-policy';
import { RefusalReporter } from './refusal/refusal-reporter';
import { ProviderWire } from './wire/provider-wire';

export interface ProviderParts {
  readonly dispatch: ProviderDispatch;
  readonly endpoints: ProviderEndpoints;
  readonly advertised: AdvertisedConcurrency;
  readonly adapters: ProviderAdapters;
  readonly wire: ProviderWire;
}

/** Puts the lib together out of what it is given, with or without Nest. */
export function composeProviders(given: {
  readonly config: Readonly<AppConfig>;
  readonly slots: Pick<ProviderSlots, 'withSlot'>;
  readonly requestScope: RequestScope;
  readonly metrics?: Pick<Metrics, 'refusalsTotal'>;
}): ProviderParts {
  const { config, slots, requestScope, metrics } = given;
  const endpoints = new ProviderEndpoints(config);
  const adapters = new ProviderAdapters();
  const wire = new ProviderWire();
  const pauses = new PausePolicy({
    requeueMinMs: config.QB_REQUEUE_MIN_MS,
    requeueMaxMs: config.QB_REQUEUE_MAX_MS,
    retryAfterMaxMs: config.QB_RETRY_AFTER_MAX_MS,
  });
  const slotted = new SlottedCall(
    {
      slots,
      requestScope,
      endpoints,
      pauses,
      singleSend: new SingleSend(wire, pauses, new RefusalReporter(metrics)),
    },
    { llmAttempts: config.QB_LLM_ATTEMPTS, maxWaitMs: config.QB_LLM_MAX_WAIT_MS },
  );
  return {
    dispatch: new ProviderDispatch(
      new Transcriber(endpoints, adapters, slotted),
      new TextDispatch(endpoints, adapters, slotted),
    ),
    endpoints,
    advertised: new AdvertisedConcurrency(endpoints, wire),
    adapters,
    wire,
  };
}
