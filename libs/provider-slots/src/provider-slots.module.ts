import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { RequestScope, RequestScopeModule } from '@app/request-scope';
import { ProviderSlots } from './provider-slots';
import type { SlotsOptions } from './slots-options';

const SLOTS_OPTIONS = Symbol('slots options');

export interface SlotsAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- Nest's own type of a factory's arguments
  readonly useFactory: (...args: any[]) => SlotsOptions | Promise<SlotsOptions>;
}

/** The semaphore on its own: it needs Redis and nothing else of Questline. */
@Module({})
export class ProviderSlotsModule {
  static forRoot(options: SlotsOptions): DynamicModule {
    return ProviderSlotsModule.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: SlotsAsyncOptions): DynamicModule {
    return {
      module: ProviderSlotsModule,
      imports: [RequestScopeModule, ...imports],
      providers: [
        { provide: SLOTS_OPTIONS, inject, useFactory },
        {
          provide: ProviderSlots,
          inject: [SLOTS_OPTIONS, RequestScope],
          useFactory: (options: SlotsOptions, scope: RequestScope) => new ProviderSlots(options, scope),
        },
      ],
      exports: [ProviderSlots],
    };
  }
}
