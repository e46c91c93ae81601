import { Module } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Metrics } from '@app/observability';
import { ProviderSlots } from '@app/provider-slots';
import { RequestScope } from '@app/request-scope';
import { composeProviders, type ProviderParts } from './compose-providers';
import { AdvertisedConcurrency } from './endpoint/advertised-concurrency';
import { ProviderEndpoints } from './endpoint/provider-endpoints';
import { ProviderDispatch } from './provider-dispatch';

const PARTS = Symbol('ProviderParts');

/** Slotted calls to the configured providers. Needs `ProviderSlotsModule`, `AppConfigModule` and `RequestScopeModule`, which are global. */
@Module({
  providers: [
    {
      provide: PARTS,
      useFactory: (config: AppConfig, slots: ProviderSlots, requestScope: RequestScope, metrics?: Metrics) =>
        composeProviders({ config, slots, requestScope, metrics }),
      inject: [AppConfig, ProviderSlots, RequestScope, { token: Metrics, optional: true }],
    },
    { provide: ProviderDispatch, useFactory: (parts: ProviderParts) => parts.dispatch, inject: [PARTS] },
    { provide: ProviderEndpoints, useFactory: (parts: ProviderParts) => parts.endpoints, inject: [PARTS] },
    {
      provide: AdvertisedConcurrency,
      useFactory: (parts: ProviderParts) => parts.advertised,
      inject: [PARTS],
    },
  ],
  exports: [ProviderDispatch, ProviderEndpoints],
})
export class ProvidersModule {}
