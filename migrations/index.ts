import { Core1764547200000 } from './1764547200000-core';
import { Generations1764633600000 } from './1764633600000-generations';
import { GenerationQueue1764720000000 } from './1764720000000-generation-queue';
import { IdempotencyAge1764806400000 } from './1764806400000-idempotency-age';
import { OutdatedTranscripts1764892800000 } from './1764892800000-outdated-transcripts';
import { RequestUsageSession1764979200000 } from './1764979200000-request-usage-session';

/** Every migration, oldest first. A new one is added at the end and never changed once it has landed. */
export const MIGRATIONS = [
  Core1764547200000,
  Generations1764633600000,
  GenerationQueue1764720000000,
  IdempotencyAge1764806400000,
  OutdatedTranscripts1764892800000,
  RequestUsageSession1764979200000,
];
