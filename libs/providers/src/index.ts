export { ProvidersModule } from './providers.module';
export { ProviderDispatch } from './provider-dispatch';
export type * from './dispatch/calls';
export { type Meter } from './dispatch/meter';
export { consumedBy } from './dispatch/consumed';
export { BadJsonSchemaError, JsonAnswer, type JsonSchema } from './dispatch/json-answer';
export {
  endpointCapName,
  type ProviderEndpoint,
  type ProviderKind,
  type ProviderName,
} from './endpoint/provider-endpoint';
export { ProviderEndpoints, type ConfiguredEndpoint, type LlmUse } from './endpoint/provider-endpoints';
export { type ConcurrencyLimit, type LimitSource } from './endpoint/concurrency-limit';
export { type CurableRefusal, type Refusal } from './refusal/provider-failure';
export {
  ProviderError,
  ProviderFailedError,
  ProviderOverloadedError,
  ProviderPauseError,
  ProviderQuotaExhaustedError,
  ProviderRateLimitedError,
  ProviderRejectedError,
  ProviderTimeoutError,
  ProviderUnreachableError,
} from './refusal/provider-errors';
