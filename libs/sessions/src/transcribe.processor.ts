import { OnQueueFailed, Processor } from '@nestjs/bull';
import { type OnApplicationBootstrap } from '@nestjs/common';
import {
  JobAttempts,
  type JobPayload,
  JobQueues,
  QueueConsumers,
  QueueWait,
  TRANSCRIBE_QUEUE,
} from '@app/jobs';
import type { Job } from 'bull';
import { SessionFailureHook } from './session-failure-hook';
import { SessionTranscriber } from './session-transcriber';

/** Queue `transcribe`: one attempt per call, any number of them parked and none of those in this process. */
@Processor(TRANSCRIBE_QUEUE)
export class TranscribeProcessor implements OnApplicationBootstrap {
  constructor(
    private readonly consumers: QueueConsumers,
    private readonly queues: JobQueues,
    private readonly attempts: JobAttempts,
    private readonly transcriber: SessionTranscriber,
    private readonly queueWait: QueueWait,
    private readonly failures: SessionFailureHook,
  ) {}

  /** Which queues and how many jobs at once are settings, which a decorator could not read. */
  onApplicationBootstrap(): void {
    this.consumers.consume(this.queues.get(TRANSCRIBE_QUEUE), (job) => this.process(job));
  }

  private async process(job: Job<JobPayload>): Promise<void> {
    await this.attempts.run(job, (signal, onGranted) =>
      this.transcriber.run(job.data, signal, () => {
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
