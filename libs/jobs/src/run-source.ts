import type { QueueRole } from './queue-names';

/** A run that its row says has not ended. */
export interface UnfinishedRun {
  readonly rowId: string;
  readonly run: number;
  readonly teamId: string;
  /** Queue in which its job belongs now. */
  readonly role: QueueRole;
  /** Where it was posted to, if that may be another queue than the one this process posts to. */
  readonly queueName?: string;
  /** Whether a provider call of it may be under way, by its row. */
  readonly mayHoldSlot: boolean;
  /** Place at which it waits or runs now. */
  readonly placeId: string;
  /** When the run was enqueued first, ms since the epoch, as near as the row knows. */
  readonly enqueuedAtMs: number;
}

/**
 * What the reconciler must know of a feature whose rows have jobs: sessions, generations. Registered with
 * `Reconciler.watch`.
 */
export interface RunSource {
  readonly name: 'session' | 'generation';
  /** Queues whose jobs are this feature's. */
  readonly roles: readonly QueueRole[];
  /** Unfinished runs in the order of their row ids, after the given one. */
  listUnfinished(afterRowId: string | undefined, limit: number): Promise<UnfinishedRun[]>;
  /** Of the given runs, those that have not ended, as `jobIdOf`. */
  findUnfinished(runs: ReadonlyArray<{ rowId: string; run: number }>): Promise<ReadonlySet<string>>;
  /** The run that a place was made for; undefined for a place that is not of this feature. */
  runOfPlace(placeId: string): { rowId: string; run: number } | undefined;
}
