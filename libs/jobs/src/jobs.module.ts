import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Metrics } from '@app/observability';
import { ProviderSlotsModule } from '@app/provider-slots';
import { type ConnectionRole, connectRedis } from '@app/redis';
import { ConsumerBeats } from './consumer-beats';
import { FreshTurns } from './fresh-turns';
import { JobAttempts } from './job-attempts';
import { JobQueues } from './job-queues';
import { JobWaker } from './job-waker';
import { ParkingBudget } from './parking-budget';
import { queueOptions } from './queue-options';
import { QueueWait } from './queue-wait';
import { GENERATION_QUEUE, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from './queue-names';
import { Reconciler } from './reconciler';
import { RunningJobs } from './running-jobs';

/** The queues, and the wake that the slots call. */
@Module({
  imports: [
    BullModule.forRootAsync({ inject: [AppConfig], useFactory: queueOptions }),
    BullModule.registerQueue({ name: TRANSCRIBE_QUEUE }, { name: SUMMARISE_QUEUE }),
    BullModule.registerQueueAsync({
      name: GENERATION_QUEUE,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => ({ name: config.QB_GENERATION_QUEUE }),
    }),
  ],
  providers: [JobQueues, JobWaker],
  exports: [JobQueues, JobWaker],
})
class QueuesModule {}

/** Queues, and what a job does at a full cap. Brings the slots along, wired to wake parked jobs. */
@Global()
@Module({
  imports: [
    QueuesModule,
    ProviderSlotsModule.forRootAsync({
      imports: [QueuesModule],
      inject: [AppConfig, JobWaker, Metrics],
      useFactory: (config: AppConfig, waker: JobWaker, metrics: Metrics) => ({
        connect: (role: ConnectionRole) =>
          connectRedis(config.REDIS_URL ?? '', role, `questline-slots-${role}`),
        prefix: config.QB_REDIS_PREFIX,
        order: config.QB_SLOT_ORDER,
        leaseMs: config.QB_SLOT_LEASE_MS,
        claimMs: config.QB_SLOT_CLAIM_MS,
        maxWaitMs: config.QB_LLM_MAX_WAIT_MS,
        workerConcurrency: config.QB_WORKER_CONCURRENCY,
        onWake: (wake: string) => waker.wake(wake),
        metrics,
      }),
    }),
  ],
  providers: [ParkingBudget, RunningJobs, FreshTurns, JobAttempts, QueueWait, Reconciler, ConsumerBeats],
  exports: [
    QueuesModule,
    ProviderSlotsModule,
    ParkingBudget,
    RunningJobs,
    JobAttempts,
    QueueWait,
    Reconciler,
    ConsumerBeats,
  ],
})
export class JobsModule {}
