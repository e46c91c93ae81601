import { Injectable, Logger } from '@nestjs/common';
import { jobIdOf, JobQueues, RunningJobs, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from '@app/jobs';
import { ProviderSlots } from '@app/provider-slots';
import { placesOf } from './session-places';
import type { Session } from './session.entity';

/** Puts runs into the queue and takes them out again; Redis being away loses nothing, since the row is the truth. */
@Injectable()
export class SessionQueue {
  private readonly logger = new Logger(SessionQueue.name);

  constructor(
    private readonly queues: JobQueues,
    private readonly running: RunningJobs,
    private readonly slots: ProviderSlots,
  ) {}

  /**
   * Enqueues the run whose row is committed, at the step that its status names. Never throws: a run that
   * could not be enqueued stays in its row, and the reconciler enqueues it.
   */
  async enqueue({ id, run, teamId, status }: Session): Promise<void> {
    const role = status === 'summarising' ? SUMMARISE_QUEUE : TRANSCRIBE_QUEUE;
    try {
      await this.queues.enqueue(role, { rowId: id, teamId, run, enqueuedAt: Date.now() });
    } catch (error) {
      this.logger.warn(
        { err: error as Error, session: id },
        'A run could not be enqueued and waits for the reconciler',
      );
    }
  }

  /** Takes a run out of queues and slots and aborts it where it runs; what Redis cannot do now, the row's state does later. */
  async withdraw({ id, run }: Session): Promise<void> {
    const jobId = jobIdOf(id, run);
    await this.running.cancel(jobId);
    await Promise.allSettled([
      this.queues.remove(TRANSCRIBE_QUEUE, jobId),
      this.queues.remove(SUMMARISE_QUEUE, jobId),
      ...placesOf(id, run).map((placeId) => this.slots.leave(placeId)),
    ]);
  }
}
