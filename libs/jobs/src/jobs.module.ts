import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Metrics } from '@app/observability';
import { ProviderSlotsModule } from '@app/provider-slots';
import { type ConnectionRole, connectRedis, queuesRoot } from '@app/redis';
import { JobAttempts } from './job-attempts';
import { PutBackError } from './job-errors';
import { JobQueues } from './job-queues';
import { JobWaker } from './job-waker';
import { ParkingBudget } from './parking-budget';
import { QueueWait } from './queue-wait';
import { GENERATION_QUEUE, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from './queue-names';
import { Reconciler } from './reconciler';
import { RunningJobs } from './running-jobs';

/** Bull never gives a job up on its own: it would remove it without telling which. See JobAttempts. */
const MAX_STALLS = Number.MAX_SAFE_INTEGER;

/** Bull's way to ask: -1 ends the job, anything else is the countdown. */
function putBackDelay(_: number, error: Error): number {
  return error instanceof PutBackError ? error.countdownMs : -1;
}

function bullOptions(config: AppConfig) {
  return {
    prefix: queuesRoot(config.QB_REDIS_PREFIX),
    createClient: (type: string) =>
      connectRedis(config.REDIS_URL ?? '', 'blocking', `questline-bull-${type}`),
    settings: {
      lockDuration: config.QB_JOB_LOCK_MS,
      lockRenewTime: config.QB_JOB_LOCK_MS / 3,
      stalledInterval: config.QB_STALLED_INTERVAL_MS,
      maxStalledCount: MAX_STALLS,
      backoffStrategies: { putBack: putBackDelay },
    },
  };
}

/** The queues, and the wake that the slots call. */
@Module({
  imports: [
    BullModule.forRootAsync({ inject: [AppConfig], useFactory: bullOptions }),
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
  providers: [ParkingBudget, RunningJobs, JobAttempts, QueueWait, Reconciler],
  exports: [
    QueuesModule,
    ProviderSlotsModule,
    ParkingBudget,
    RunningJobs,
    JobAttempts,
    QueueWait,
    Reconciler,
  ],
})
export class JobsModule {}
