/** What a job remembers of having been parked: it survives a worker's death with the job. */
export interface ParkingRecord {
  /** Safety-net tries since what blocks last moved. */
  readonly tries: number;
  /** Turnover of what blocked at the last try. */
  readonly turnover: string;
}

/** Payload of every job: ids only, since Postgres is the truth. */
export interface JobPayload {
  /** Row that the job is about: a session or a generation. */
  readonly rowId: string;
  readonly teamId: string;
  readonly run: number;
  /** When the run was first enqueued, ms since the epoch; feeds queue_wait_seconds. */
  readonly enqueuedAt: number;
  /** Set once the wait was measured, so that a re-run is not measured again. */
  started?: boolean;
  parking?: ParkingRecord;
  /** Sends of the call that the job was parked with, see JobScope. */
  parkedSends?: number;
  /** Failures that were worth another try, parks not among them. */
  failures?: number;
}

/** One job per run: adding it twice is harmless, and a new run is a new job. */
export function jobIdOf(rowId: string, run: number): string {
  return `${rowId}.${run}`;
}

/** The inverse of `jobIdOf`; undefined for an id that is not one of ours. */
export function parseJobId(jobId: string): { rowId: string; run: number } | undefined {
  const [rowId, run, ...rest] = jobId.split('.');
  if (!rowId || !run || rest.length > 0 || !/^[1-9][0-9]*$/.test(run)) return undefined;
  return { rowId, run: Number(run) };
}

/** Text handed to the slots and back when the place is offered. */
export function wakeOf(queueName: string, jobId: string): string {
  return `${queueName}/${jobId}`;
}

/** The inverse of `wakeOf`; undefined for a wake that is not one of ours. */
export function parseWake(wake: string): { queueName: string; jobId: string } | undefined {
  const slash = wake.indexOf('/');
  if (slash <= 0) return undefined;
  return { queueName: wake.slice(0, slash), jobId: wake.slice(slash + 1) };
}
