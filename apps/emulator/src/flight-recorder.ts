import { ChangeSignal } from './change-signal';
import type { CallKind } from './emulator-settings';

/** `info`: routes that tell about the server (models, health, capabilities); logged, never counted. */
export type RequestKind = CallKind | 'info';

/** `cut`: a script made the emulator break the line. `closed_early`: the client went away. */
export type FlightOutcome = 'answered' | 'closed_early' | 'cut';

/** One request as the log shows it; `ended_at`, `status` and `outcome` are null while it is in flight. */
export interface FlightEntry {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly kind: RequestKind;
  /** The dialect that answered; before that the route's usual one. */
  dialect: string;
  readonly arrived_at: string;
  ended_at: string | null;
  status: number | null;
  outcome: FlightOutcome | null;
  mark: string | null;
  /** SHA-256 of what was sent (the audio, or the JSON body): equal digests are sends of one call. */
  digest: string | null;
  /** Number of the script's rule that answered, from 1; null: the usual answer. */
  rule: number | null;
}

export interface Count {
  in_flight: number;
  peak: number;
  requests: number;
}

export interface EmulatorStats {
  readonly asr: Count;
  readonly llm: Count;
  readonly marks: Readonly<Record<string, Count>>;
}

const MARK = /\[(team:[A-Za-z0-9_.-]{1,64})\]/g;
const MOST_MARKS = 10_000;

/** The distinct marks of a prompt, such as `team:blue` for `[team:blue]`, in order of appearance. */
export function marksIn(prompt: string): string[] {
  return [...new Set([...prompt.matchAll(MARK)].map((match) => match[1] ?? ''))].slice(0, 8);
}

/** One request on its way: opened at its arrival, landed once, when its answer or its socket ended. */
export class Flight {
  private readonly counts: Count[] = [];
  private landed = false;

  constructor(
    readonly entry: FlightEntry,
    private readonly changed: () => void,
  ) {}

  /** Lets this flight count in `count` too, from now until it lands. */
  joins(count: Count): void {
    if (this.landed) return;
    this.counts.push(count);
    count.requests += 1;
    count.in_flight += 1;
    count.peak = Math.max(count.peak, count.in_flight);
    this.changed();
  }

  land(outcome: FlightOutcome, status: number | null): void {
    if (this.landed) return;
    this.landed = true;
    this.entry.ended_at = new Date().toISOString();
    this.entry.outcome = outcome;
    this.entry.status = status;
    for (const count of this.counts) count.in_flight -= 1;
    this.changed();
  }
}

/**
 * Counts what is in flight and remembers the most there ever was, per kind and per mark:
 *
 *   a request is in flight from its arrival until its answer has ended or its socket has closed,
 *   also while it waits inside the emulator.
 *
 * Marks count from the moment the prompt has been read, for only then they are known.
 */
export class FlightRecorder {
  private entries: FlightEntry[] = [];
  private readonly kinds = { asr: newCount(), llm: newCount() };
  private readonly marks = new Map<string, Count>();
  private readonly changes = new ChangeSignal();
  private lastId = 0;
  private dropped = 0;

  constructor(private readonly logSize: number) {}

  open(request: Pick<FlightEntry, 'method' | 'path' | 'kind' | 'dialect'>): Flight {
    const entry: FlightEntry = {
      id: (this.lastId += 1),
      method: request.method,
      path: request.path,
      kind: request.kind,
      dialect: request.dialect,
      arrived_at: new Date().toISOString(),
      ended_at: null,
      status: null,
      outcome: null,
      mark: null,
      digest: null,
      rule: null,
    };
    this.remember(entry);
    const flight = new Flight(entry, () => this.changes.tell());
    if (request.kind !== 'info') flight.joins(this.kinds[request.kind]);
    return flight;
  }

  markFlight(flight: Flight, prompt: string): void {
    for (const mark of marksIn(prompt)) {
      flight.entry.mark ??= mark;
      const count = this.marks.get(mark) ?? newCount();
      if (!this.marks.has(mark) && this.marks.size >= MOST_MARKS) return;
      this.marks.set(mark, count);
      flight.joins(count);
    }
  }

  stats(): EmulatorStats {
    const marks = Object.fromEntries([...this.marks].map(([mark, count]) => [mark, { ...count }]));
    return { asr: { ...this.kinds.asr }, llm: { ...this.kinds.llm }, marks };
  }

  /** Oldest first; `dropped` says how many older ones the bounded log has let go. */
  log(): { items: FlightEntry[]; dropped: number } {
    return { items: this.entries.map((entry) => ({ ...entry })), dropped: this.dropped };
  }

  /** Starts the counts anew; what is in flight right now stays counted, for it is still there. */
  reset(): void {
    this.entries = this.entries.filter((entry) => entry.ended_at === null);
    this.dropped = 0;
    for (const count of [this.kinds.asr, this.kinds.llm, ...this.marks.values()]) {
      count.peak = count.in_flight;
      count.requests = count.in_flight;
    }
    for (const [mark, count] of this.marks) {
      if (count.in_flight === 0) this.marks.delete(mark);
    }
    this.changes.tell();
  }

  /** Resolves once `holds` is true of the stats, which is asked at once and at every change. */
  async until(holds: (stats: EmulatorStats) => boolean, timeoutMs: number): Promise<void> {
    await this.changes.until(
      () => holds(this.stats()),
      timeoutMs,
      () => JSON.stringify(this.stats()),
    );
  }

  private remember(entry: FlightEntry): void {
    this.entries.push(entry);
    if (this.entries.length < this.logSize * 2) return;
    // Cut in one go at twice the size: shifting one by one would copy the log at every request.
    this.dropped += this.entries.length - this.logSize;
    this.entries = this.entries.slice(-this.logSize);
  }
}

function newCount(): Count {
  return { in_flight: 0, peak: 0, requests: 0 };
}
