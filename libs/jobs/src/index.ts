export { ConsumerBeats } from './consumer-beats';
export { JobAttempts } from './job-attempts';
export {
  CapacityExhaustedError,
  JobCancelledError,
  PutBackError,
  WorkerLostError,
  WorkerStoppingError,
} from './job-errors';
export { jobIdOf, parseJobId, wakeOf, type JobPayload } from './job-payload';
export { JobQueues } from './job-queues';
export { JobsModule } from './jobs.module';
export { GENERATION_QUEUE, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE, type QueueRole } from './queue-names';
export { QueueConsumers } from './queue-consumers';
export { QueueWait } from './queue-wait';
export { Reconciler } from './reconciler';
export type { RunSource, UnfinishedRun } from './run-source';
export { RunningJobs } from './running-jobs';
export { WorkerQueues } from './worker-queues';
export { WorkerQueuesModule } from './worker-queues.module';
