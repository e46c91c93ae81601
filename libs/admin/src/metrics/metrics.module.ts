import { Global, Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { ProvidersModule } from '@app/providers';
import { QueueState } from '../queue-state';
import { MetricsController } from './metrics.controller';
import { SlotGauges } from './slot-gauges';

/** `/metrics`, the same in every process. Global, since the library declares the controller in a module of its own. */
@Global()
@Module({
  imports: [PrometheusModule.register({ controller: MetricsController }), ProvidersModule],
  providers: [SlotGauges, QueueState],
  exports: [SlotGauges],
})
export class MetricsModule {}
