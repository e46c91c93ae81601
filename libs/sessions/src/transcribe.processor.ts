import { OnQueueFailed, Processor } from '@nestjs/bull';
import { type OnApplicationBootstrap } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { JobAttempts, type JobPayload, JobQueues, QueueWait, TRANSCRIBE_QUEUE } from '@app/jobs';
import type { Job } from 'bull';
import { SessionFailureHook } from './session-failure-hook';
import { SessionTranscriber } from './session-transcriber';

/** Queue `transcribe`: one attempt per call, any number of them parked and none of those in this process. */
@Processor(TRANSCRIBE_QUEUE)
export class TranscribeProcessor implements OnApplicationBootstrap {
  constructor(
    private readonly config: AppConfig,
    private readonly queues: JobQueues,
    private readonly attempts: JobAttempts,
    private readonly transcriber: SessionTranscriber,
    private readonly queueWait: QueueWait,
    private readonly failures: SessionFailureHook,
  ) {}

  /** The concurrency is a setting, which a decorator could not read. */
  onApplicationBootstrap(): void {
    const queue = this.queues.get(TRANSCRIBE_QUEUE);
    void queue.process(this.config.QB_WORKER_CONCURRENCY, (job) => this.process(job));
  }

  private async process(job: Job<JobPayload>): Promise<void> {
    await this.attempts.run(job, (signal) =>
      this.transcriber.run(job.data, signal, () => this.queueWait.noteStart(job)),
    );
  }

  @OnQueueFailed()
  async onFailed(job: Job<JobPayload>, error: Error): Promise<void> {
    await this.failures.onFailed(job, error);
  }
}
