import { OnQueueFailed, Processor } from '@nestjs/bull';
import { type OnApplicationBootstrap } from '@nestjs/common';
import {
  JobAttempts,
  type JobPayload,
  JobQueues,
  QueueConsumers,
  QueueWait,
  SUMMARISE_QUEUE,
} from '@app/jobs';
import type { Job } from 'bull';
import { SessionFailureHook } from './session-failure-hook';
import { SessionSummariser } from './session-summariser';

/** Queue `summarise`: one attempt per call, any number of them parked and none of those in this process. */
@Processor(SUMMARISE_QUEUE)
export class SummariseProcessor implements OnApplicationBootstrap {
  constructor(
    private readonly consumers: QueueConsumers,
    private readonly queues: JobQueues,
    private readonly attempts: JobAttempts,
    private readonly summariser: SessionSummariser,
    private readonly queueWait: QueueWait,
    private readonly failures: SessionFailureHook,
  ) {}

  /** Which queues and how many jobs at once are settings, which a decorator could not read. */
  onApplicationBootstrap(): void {
    this.consumers.consume(this.queues.get(SUMMARISE_QUEUE), (job) => this.process(job));
  }

  private async process(job: Job<JobPayload>): Promise<void> {
    await this.attempts.run(job, (signal, onGranted) =>
      this.summariser.run(job.data, signal, () => {
        onGranted();
        return this.queueWait.noteStart(job);
      }),
    );
  }

  @OnQueueFailed()
  async onFailed(job: Job<JobPayload>, error: Error): Promise<void> {
    await this.failures.onFailed(job, error);
  }
}
