import { Injectable, Logger } from '@nestjs/common';
import { GENERATION_QUEUE, jobIdOf, JobQueues, RunningJobs } from '@app/jobs';
import { ProviderSlots } from '@app/provider-slots';
import type { Generation } from './generation.entity';
import { placeOf } from './generation-place';

/** A generation is processed once; there is no second run of it. */
export const ONLY_RUN = 1;

/** Puts generations into their queue and takes them out again; Redis being away loses nothing, since the row is the truth. */
@Injectable()
export class GenerationQueue {
  private readonly logger = new Logger(GenerationQueue.name);

  constructor(
    private readonly queues: JobQueues,
    private readonly running: RunningJobs,
    private readonly slots: ProviderSlots,
  ) {}

  /** Enqueues one whose row is committed. Never throws: what could not be enqueued waits for the reconciler. */
  async enqueue(generation: Generation): Promise<void> {
    try {
      await this.enqueueNow(generation);
    } catch (error) {
      this.logger.warn(
        { err: error as Error, generation: generation.id },
        'A generation could not be enqueued and waits for the reconciler',
      );
    }
  }

  /** @throws QueueUnavailableError within 2 s while Redis is away */
  async enqueueNow({ id, teamId, queue, createdAt }: Generation): Promise<void> {
    const enqueuedAt = createdAt.getTime();
    await this.queues.enqueue(GENERATION_QUEUE, { rowId: id, teamId, run: ONLY_RUN, enqueuedAt }, queue);
  }

  /** Aborts it where it runs and takes it out of queue and slots; what Redis cannot do now, the row's state does later. */
  async withdraw(generation: Pick<Generation, 'id' | 'queue'>): Promise<void> {
    await this.running.cancel(jobIdOf(generation.id, ONLY_RUN));
    await this.remove(generation);
  }

  /** Takes one that does not run out of queue and slots. Never throws. */
  async remove({ id, queue }: Pick<Generation, 'id' | 'queue'>): Promise<void> {
    await Promise.allSettled([
      this.queues.remove(GENERATION_QUEUE, jobIdOf(id, ONLY_RUN), queue),
      this.slots.leave(placeOf(id)),
    ]);
  }
}
