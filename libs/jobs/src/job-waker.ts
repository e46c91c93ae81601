import { Injectable } from '@nestjs/common';
import { parseWake } from './job-payload';
import { JobPriority, setJobPriority } from './job-priority';
import { JobQueues } from './job-queues';

/** Brings a parked job back to the front of its queue the moment its place is offered a slot. */
@Injectable()
export class JobWaker {
  constructor(private readonly queues: JobQueues) {}

  /**
   * `woken`: the job will run at once. `busy`: it is still active from the attempt that parked it, ask
   * again. `gone`: there is no such job any more, give the slot to somebody else.
   */
  async wake(wake: string): Promise<'woken' | 'busy' | 'gone'> {
    const target = parseWake(wake);
    if (!target) return 'gone';
    const queue = this.queues.open(target.queueName);
    const job = await queue.getJob(target.jobId);
    if (!job) return 'gone';
    try {
      // On one connection, so in this order, and within one round trip.
      await Promise.all([setJobPriority(queue, target.jobId, JobPriority.woken), job.promote()]);
      return 'woken';
    } catch {
      // Not delayed: either another promotion won and it is waiting for a worker, or it has not parked yet.
      return (await job.isActive()) ? 'busy' : 'woken';
    }
  }
}
