import { AppError } from '@app/kernel';

/** Columns of a generation whose time was over before it started. */
export const TASK_EXPIRED = {
  errorCode: 'task_expired',
  errorMessage: 'It had not started when its time was over; nothing was sent and nothing is billed',
} as const;

/** The generation held its slot for as long as any may; its call was aborted. */
export class HardLimitReachedError extends AppError {
  readonly code = 'provider_timeout';
  readonly retryable = false;

  constructor(readonly limitMs: number) {
    super(`The call was ended because one generation may hold its slot for ${limitMs} ms at most`);
  }
}

/** A preview did not end in time; what was under way is aborted. */
export class PreviewDeadlineExceededError extends AppError {
  readonly code = 'preview_deadline_exceeded';
  readonly retryable = true;

  constructor(readonly deadlineMs: number) {
    super(`The preview did not end within ${deadlineMs} ms and was given up; post a generation instead`);
  }
}

/** A preview's generation ended without a text: its own code and message are the answer. */
export class GenerationEndedError extends AppError {
  readonly retryable = false;

  constructor(
    readonly generationId: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  override facts(): Readonly<Record<string, unknown>> {
    return { generation_id: this.generationId };
  }
}
