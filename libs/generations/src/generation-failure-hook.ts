import { Injectable, Logger } from '@nestjs/common';
import { type JobPayload, PutBackError } from '@app/jobs';
import type { Job } from 'bull';
import { GenerationEndings } from './generation-endings';

/**
 * What the queue's `failed` event means for a generation: the one place where a failure becomes an outcome.
 * Bull emits the event at every throw, parks too, so only a job that is finally failed counts.
 */
@Injectable()
export class GenerationFailureHook {
  private readonly logger = new Logger(GenerationFailureHook.name);

  constructor(private readonly endings: GenerationEndings) {}

  /** Never throws: what could not be written stays pending, and the reconciler runs it again. */
  async onFailed(job: Job<JobPayload>, error: Error): Promise<void> {
    if (error instanceof PutBackError) return;
    try {
      await this.endings.fail(job.data.rowId, error);
    } catch (cause) {
      this.logger.error(
        { err: cause as Error, generation: job.data.rowId },
        'The end of a generation could not be written',
      );
    }
  }
}
