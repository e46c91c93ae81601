import type { SessionSummary } from '../api/client';

export type Status = SessionSummary['status'];

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  queued: 'Queued',
  transcribing: 'Transcribing',
  summarising: 'Summarising',
  completed: 'Ready',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function isUnfinished(status: Status): boolean {
  return status === 'queued' || status === 'transcribing' || status === 'summarising';
}

/** What a failure's code means for the person whose session it is; the code's own page says more. */
const FAILURE_WORDS: Readonly<Record<string, string>> = {
  capacity_exhausted: 'There was no free capacity within the time allowed. Nothing is lost: run it again.',
  provider_quota_exhausted:
    "The provider's quota is used up. An operator has to raise it before another run helps.",
  provider_rejected: 'The provider did not accept this recording or its settings.',
  provider_failed: 'The provider failed while working on it. Another run starts at the last checkpoint.',
  provider_unreachable: 'The provider could not be reached. Another run starts at the last checkpoint.',
  provider_timeout: 'The provider took longer than allowed.',
  provider_overloaded: 'The provider stayed overloaded.',
  provider_rate_limited: 'The provider kept asking us to slow down.',
  worker_lost: 'The process that worked on it was lost several times.',
};

export function wordFailure(code: string): string {
  return FAILURE_WORDS[code] ?? 'It ended before it was done.';
}
