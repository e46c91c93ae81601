import {
  OneOf,
  OptionalAddress,
  OptionalOneOf,
  OptionalText,
  OptionalWholeNumber,
  Text,
  WholeNumber,
} from './env-variable';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Times may be set this low, so that every behaviour can be rehearsed in seconds. */
const SHORTEST = 100;
const LONGEST = 24 * HOUR;

export const ASR_PROVIDERS = ['whisperx', 'openai', 'stub'] as const;
export const LLM_PROVIDERS = ['ollama', 'llamacpp', 'openai', 'anthropic', 'stub'] as const;
export type AsrProviderName = (typeof ASR_PROVIDERS)[number];
export type LlmProviderName = (typeof LLM_PROVIDERS)[number];

/**
 * Every environment variable this product reads, with its default and its limits. Nothing else in the
 * code may touch process.env (a lint rule checks). An empty variable counts as unset.
 */
export class AppConfig {
  @WholeNumber(
    0,
    65_535,
    'Port to listen on; 0 takes a free one. Default: api and standalone 3000, worker 3001, emulator 9000',
  )
  PORT = 3000;

  @Text(/^[A-Za-z0-9.:_-]{1,255}$/, 'a host name or address', 'Address to listen on; standalone: 127.0.0.1')
  HOST = '0.0.0.0';

  @OneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'Least level that is logged')
  QB_LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  @OptionalAddress(['postgres', 'postgresql'], 'Postgres. Unset: standalone starts its own')
  DATABASE_URL?: string;

  @OptionalAddress(['redis', 'rediss'], 'Redis, database 0. Unset: standalone starts its own')
  REDIS_URL?: string;

  @Text(/^[A-Za-z0-9_.-]{1,40}$/, 'letters, digits, "_", "." or "-"', 'Put before every Redis key')
  QB_REDIS_PREFIX = 'questline';

  @OptionalText(
    'Bootstrap admin key. Unset: standalone makes one and keeps it in ./.data/admin-key; api and worker refuse to boot',
  )
  QB_ADMIN_API_KEY?: string;

  @Text(
    /^(file:.+|s3:\/\/.+)$/,
    'file:<folder>',
    'Where recordings are kept (s3:// comes later and is refused until then)',
  )
  QB_STORAGE_URL = 'file:./.data/recordings';

  @WholeNumber(1_024, 1_024 ** 4, 'Largest recording that is accepted, in bytes')
  QB_UPLOAD_MAX_BYTES = 2 * 1_024 ** 3;

  @OneOf(ASR_PROVIDERS, 'What transcribes recordings')
  QB_ASR_PROVIDER: AsrProviderName = 'whisperx';

  @OptionalAddress(
    ['http', 'https'],
    'Base URL of the ASR server, with or without /v1. Unset: standalone uses the emulator',
  )
  QB_ASR_BASE_URL?: string;

  @OptionalText('Model asked for; unset: the provider adapter chooses')
  QB_ASR_MODEL?: string;

  @OptionalText('Key sent to the ASR server')
  QB_ASR_API_KEY?: string;

  @OptionalWholeNumber(
    10_000,
    'Calls the ASR endpoint may be given at once; unset: advertised, else declared by the adapter',
  )
  QB_ASR_CONCURRENCY_LIMIT?: number;

  @WholeNumber(SHORTEST, LONGEST, 'Longest transcription call, in ms')
  QB_ASR_TIMEOUT_MS = 4 * HOUR;

  @OneOf(LLM_PROVIDERS, 'What writes recaps, answers and names')
  QB_LLM_PROVIDER: LlmProviderName = 'ollama';

  @OptionalAddress(
    ['http', 'https'],
    'Base URL of the LLM server, with or without /v1. Unset: standalone uses the emulator',
  )
  QB_LLM_BASE_URL?: string;

  @OptionalText('Model asked for; unset: the provider adapter chooses')
  QB_LLM_MODEL?: string;

  @OptionalText('Key sent to the LLM server')
  QB_LLM_API_KEY?: string;

  @OptionalWholeNumber(
    10_000,
    'Calls the LLM endpoint may be given at once; unset: advertised, else declared by the adapter',
  )
  QB_LLM_CONCURRENCY_LIMIT?: number;

  @WholeNumber(SHORTEST, LONGEST, 'Longest LLM call, in ms')
  QB_LLM_TIMEOUT_MS = 30 * MINUTE;

  @WholeNumber(SHORTEST, LONGEST, 'Shortest countdown of a parked job (the safety net), in ms')
  QB_REQUEUE_MIN_MS = 20 * SECOND;

  @WholeNumber(SHORTEST, LONGEST, 'Longest countdown of a parked job, in ms')
  QB_REQUEUE_MAX_MS = 40 * SECOND;

  @OptionalWholeNumber(
    1_000_000,
    'Safety-net tries without any turnover of what blocks; unset: 240, and never less than the longest call',
  )
  QB_REQUEUE_BUDGET?: number;

  @WholeNumber(SHORTEST, LONGEST, 'Longest wait in place of a job that has begun, in ms')
  QB_LLM_MAX_WAIT_MS = 15 * MINUTE;

  @WholeNumber(1, 10, 'Sends of one LLM call at most')
  QB_LLM_ATTEMPTS = 3;

  @WholeNumber(SHORTEST, LONGEST, 'Longest pause a provider may ask for, in ms')
  QB_RETRY_AFTER_MAX_MS = 10 * MINUTE;

  @WholeNumber(SECOND, LONGEST, "Time after which a dead holder's slot is free, in ms")
  QB_SLOT_LEASE_MS = MINUTE;

  @WholeNumber(SHORTEST, LONGEST, 'Time a parked job has to claim a slot it was offered, in ms')
  QB_SLOT_CLAIM_MS = 15 * SECOND;

  @OneOf(['fair', 'fifo'], 'Between teams: in turn, or strictly by ticket')
  QB_SLOT_ORDER: 'fair' | 'fifo' = 'fair';

  @WholeNumber(1, 100_000, 'Generations that may run at once, all teams together')
  QB_GENERATION_FLEET_LIMIT = 16;

  @WholeNumber(1, 100_000, 'Generations that may run at once, per team')
  QB_GENERATION_TEAM_LIMIT = 4;

  @WholeNumber(SHORTEST, LONGEST, 'Longest time one generation may hold its slot, in ms')
  QB_GENERATION_HARD_LIMIT_MS = 10 * MINUTE;

  @WholeNumber(SECOND, LONGEST, "Lease of a generation's slot, in ms; must exceed the hard limit")
  QB_GENERATION_LEASE_MS = 11 * MINUTE;

  @WholeNumber(1, 30 * 86_400, 'Seconds after which a generation that has not started expires')
  QB_GENERATION_EXPIRES_SECONDS = 86_400;

  @WholeNumber(SHORTEST, LONGEST, 'Longest a preview may take, in ms')
  QB_PREVIEW_DEADLINE_MS = 25 * SECOND;

  @WholeNumber(1, 10_000_000, 'Pending generations per team; beyond it 429')
  QB_GENERATION_MAX_PENDING_PER_TEAM = 100_000;

  @Text(/^[a-z][a-z0-9-]{0,39}$/, 'a short lower-case name', 'Queue that generations are posted to')
  QB_GENERATION_QUEUE = 'generations';

  @OptionalOneOf(LLM_PROVIDERS, 'LLM for generations; unset: the LLM above')
  QB_GENERATION_LLM_PROVIDER?: LlmProviderName;

  @OptionalAddress(['http', 'https'], 'Base URL of an LLM server for generations alone; unset: the LLM above')
  QB_GENERATION_LLM_BASE_URL?: string;

  @OptionalText('Model for generations')
  QB_GENERATION_LLM_MODEL?: string;

  @OptionalText('Key sent to the LLM server of generations')
  QB_GENERATION_LLM_API_KEY?: string;

  @OptionalWholeNumber(10_000, 'Calls the LLM endpoint of generations may be given at once')
  QB_GENERATION_LLM_CONCURRENCY_LIMIT?: number;

  @WholeNumber(1, 10_000, 'Jobs one worker process runs at once, per queue')
  QB_WORKER_CONCURRENCY = 64;

  @WholeNumber(1, 10_000_000, 'Requests per minute and API key; beyond it 429')
  QB_RATE_LIMIT_PER_MINUTE = 60_000;

  @WholeNumber(SECOND, LONGEST, 'Lock of a running job in the queue, in ms')
  QB_JOB_LOCK_MS = 30 * SECOND;

  @WholeNumber(SHORTEST, LONGEST, 'How often the queue looks for jobs of dead workers, in ms')
  QB_STALLED_INTERVAL_MS = 15 * SECOND;

  @WholeNumber(SHORTEST, LONGEST, 'How often rows, jobs and leases are compared, in ms')
  QB_RECONCILE_INTERVAL_MS = 30 * SECOND;

  @WholeNumber(SHORTEST, LONGEST, 'What a stopping worker grants to running jobs, in ms')
  QB_SHUTDOWN_GRACE_MS = 15 * SECOND;

  @WholeNumber(500, 10_000_000, 'Characters of transcript per recap call')
  QB_SUMMARY_CHUNK_CHARS = 24_000;

  /** Safety-net tries a parked job has while nothing that blocks it moves (design section 3). */
  get requeueBudget(): number {
    const longestCallMs = Math.max(this.QB_ASR_TIMEOUT_MS, this.QB_LLM_TIMEOUT_MS);
    return this.QB_REQUEUE_BUDGET ?? Math.max(240, Math.ceil(longestCallMs / this.QB_REQUEUE_MIN_MS));
  }
}
