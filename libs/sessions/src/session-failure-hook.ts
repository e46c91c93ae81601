import { Injectable, Logger } from '@nestjs/common';
import { type JobPayload, PutBackError } from '@app/jobs';
import type { Job } from 'bull';
import { SessionEndings } from './session-endings';

/**
 * What the queue's `failed` event means for a session. Bull emits it at every throw, parks too, so only a
 * job that is finally failed counts: our processors throw PutBackError for everything else.
 */
@Injectable()
export class SessionFailureHook {
  private readonly logger = new Logger(SessionFailureHook.name);

  constructor(private readonly endings: SessionEndings) {}

  async onFailed(job: Job<JobPayload>, error: Error): Promise<void> {
    if (error instanceof PutBackError) return;
    try {
      await this.endings.fail(job.data.rowId, job.data.run, error);
    } catch (cause) {
      this.logger.error(
        { err: cause as Error, session: job.data.rowId },
        'The end of a session could not be written',
      );
    }
  }
}
