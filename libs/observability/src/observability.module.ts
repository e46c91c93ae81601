import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics';

/** The product's metrics, one set per process. */
@Global()
@Module({
  providers: [{ provide: Metrics, useFactory: () => new Metrics() }],
  exports: [Metrics],
})
export class ObservabilityModule {}
