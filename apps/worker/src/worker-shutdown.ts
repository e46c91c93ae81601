import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { JobQueues, RunningJobs } from '@app/jobs';

/** On a stop: take no more jobs, let those that run finish within the grace, put the rest back. */
@Injectable()
export class WorkerShutdown implements BeforeApplicationShutdown {
  constructor(
    private readonly queues: JobQueues,
    private readonly running: RunningJobs,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    // Locally and without waiting for active jobs: those are the next line's business.
    await Promise.all(this.queues.all().map((queue) => queue.pause(true, true)));
    await this.running.drain();
  }
}
