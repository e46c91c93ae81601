import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { JobAttempts, type JobPayload, QueueConsumers, QueueWait } from '@app/jobs';
import type { Job } from 'bull';
import { GenerationFailureHook } from './generation-failure-hook';
import { GenerationRunner } from './generation-runner';

/** The queues of generations: usually one, two while they move to a queue of their own. */
@Injectable()
export class GenerationProcessor implements OnApplicationBootstrap {
  constructor(
    private readonly consumers: QueueConsumers,
    private readonly attempts: JobAttempts,
    private readonly runner: GenerationRunner,
    private readonly queueWait: QueueWait,
    private readonly failures: GenerationFailureHook,
  ) {}

  onApplicationBootstrap(): void {
    for (const queue of this.consumers.generationQueues()) {
      queue.on('failed', (job: Job<JobPayload>, error: Error) => void this.failures.onFailed(job, error));
      this.consumers.consume(queue, (job) => this.process(job));
    }
  }

  private async process(job: Job<JobPayload>): Promise<void> {
    await this.attempts.run(job, (signal, onGranted) =>
      this.runner.run({
        payload: job.data,
        queueName: job.queue.name,
        signal,
        onGranted,
        onStarted: () => this.queueWait.noteStart(job),
      }),
    );
  }
}
