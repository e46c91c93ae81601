import { OnQueueFailed, Processor } from '@nestjs/bull';
import { type OnApplicationBootstrap } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { JobAttempts, type JobPayload, JobQueues, QueueWait, SUMMARISE_QUEUE } from '@app/jobs';
import type { Job } from 'bull';
import { SessionFailureHook } from './session-failure-hook';
import { SessionSummariser } from './session-summariser';

/** Queue `summarise`: one attempt per call, any number of them parked and none of those in this process. */
@Processor(SUMMARISE_QUEUE)
export class SummariseProcessor implements OnApplicationBootstrap {
  constructor(
    private readonly config: AppConfig,
    private readonly queues: JobQueues,
    private readonly attempts: JobAttempts,
    private readonly summariser: SessionSummariser,
    private readonly queueWait: QueueWait,
    private readonly failures: SessionFailureHook,
  ) {}

  /** The concurrency is a setting, which a decorator could not read. */
  onApplicationBootstrap(): void {
    const queue = this.queues.get(SUMMARISE_QUEUE);
    void queue.process(this.config.QB_WORKER_CONCURRENCY, (job) => this.process(job));
  }

  private async process(job: Job<JobPayload>): Promise<void> {
    await this.attempts.run(job, (signal) =>
      this.summariser.run(job.data, signal, () => this.queueWait.noteStart(job)),
    );
  }

  @OnQueueFailed()
  async onFailed(job: Job<JobPayload>, error: Error): Promise<void> {
    await this.failures.onFailed(job, error);
  }
}
