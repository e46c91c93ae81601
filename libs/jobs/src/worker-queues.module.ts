import { type DynamicModule, Module } from '@nestjs/common';
import { QueueConsumers } from './queue-consumers';
import { WorkerQueues } from './worker-queues';

/** In processes that run jobs: what they consume. */
@Module({})
export class WorkerQueuesModule {
  static forRoot(queues: WorkerQueues = new WorkerQueues(undefined)): DynamicModule {
    return {
      module: WorkerQueuesModule,
      global: true,
      providers: [{ provide: WorkerQueues, useValue: queues }, QueueConsumers],
      exports: [QueueConsumers],
    };
  }
}
