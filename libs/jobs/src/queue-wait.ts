import { Injectable } from '@nestjs/common';
import { Metrics } from '@app/observability';
import type { Job } from 'bull';
import type { JobPayload } from './job-payload';

/**
 * Measures how long a job waited from its first enqueue to its real start, once per job and summed over
 * every re-queue: the signal by which one decides whether work needs a queue of its own.
 */
@Injectable()
export class QueueWait {
  constructor(private readonly metrics: Metrics) {}

  /** Call it when the job got its first slot; later calls for the same job measure nothing. */
  async noteStart(job: Job<JobPayload>): Promise<void> {
    if (job.data.started) return;
    const waitedMs = Math.max(0, Date.now() - job.data.enqueuedAt);
    this.metrics.queueWaitSeconds.observe({ queue: job.queue.name }, waitedMs / 1_000);
    await job.update({ ...job.data, started: true });
  }
}
