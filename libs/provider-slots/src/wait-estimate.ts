import type { CapLoadView, CapSnapshot, CapView, LoadView, Outlook, OutlookView } from './slot-views';

/**
 * How long a wait will last:
 *
 *     gate remaining + (work ahead + remainder of what runs) x median ms per unit / limit
 *
 * Unknown work counts as the median. Null without history, and without a limit only the gate counts.
 */
export class WaitEstimate {
  private readonly msPerUnit: number | null;
  private readonly usualWork: number;

  constructor(private readonly load: LoadView) {
    const samples = asList(load.samples).map(parseSample);
    this.usualWork = median(samples.flatMap(({ work }) => (work === null ? [] : [work]))) ?? 1;
    this.msPerUnit = median(samples.map(({ holdMs, work }) => holdMs / (work ?? this.usualWork)));
  }

  /** @param ahead work of those ahead that is known; `count` of them in all. */
  estimatedMs(ahead: readonly (number | false)[], count: number): number | null {
    if (this.msPerUnit === null) return null;
    const { limit, gateMs } = this.load;
    if (limit === undefined) return gateMs;
    const known = ahead.slice(0, count).reduce<number>((sum, work) => sum + this.msOf(work), 0);
    const unknown = Math.max(0, count - ahead.length) * this.msOf(false);
    const running = asList(this.load.running).reduce(
      (sum, { elapsedMs, work }) => sum + Math.max(0, this.msOf(work ?? false) - elapsedMs),
      0,
    );
    return Math.max(0, Math.round(gateMs + (known + unknown + running) / limit));
  }

  private msOf(work: number | false): number {
    return (work === false || work <= 0 ? this.usualWork : work) * (this.msPerUnit ?? 0);
  }
}

export function toOutlook(view: OutlookView): Outlook {
  if (view.state === 'offered') {
    return { position: 0, estimatedMs: 0, sinceMs: view.sinceMs, pausedUntilMs: null };
  }
  const estimatedMs = new WaitEstimate(view.load).estimatedMs(asList(view.aheadWork), view.position);
  const pausedUntilMs = view.load.gateUntil ?? null;
  return { position: view.position, estimatedMs, sinceMs: view.sinceMs, pausedUntilMs };
}

/** For one that would begin to wait now: it needs all of the caps, so the longest of the waits counts. */
export function toNewcomersOutlook(loads: readonly CapLoadView[], nowMs: number): Outlook {
  const waits = loads.map((load) => ({
    load,
    estimatedMs: new WaitEstimate(load).estimatedMs([], load.waiting),
  }));
  const longest = waits.reduce((a, b) => ((b.estimatedMs ?? -1) > (a.estimatedMs ?? -1) ? b : a));
  return {
    position: Math.max(...loads.map(({ waiting }) => waiting)),
    estimatedMs: longest.estimatedMs,
    sinceMs: nowMs,
    pausedUntilMs: loads.reduce<number | null>(
      (until, { gateUntil }) => Math.max(until ?? 0, gateUntil ?? 0) || null,
      null,
    ),
  };
}

export function toSnapshot(view: CapView): CapSnapshot {
  return {
    name: view.name,
    labels: JSON.parse(view.labels) as Record<string, string>,
    limit: view.limit ?? null,
    overridden: view.override !== undefined,
    inUse: view.inUse,
    offered: view.offered,
    overrun: view.overrun,
    waiting: view.waiting,
    oldestWaitMs: view.oldestWaitMs ?? null,
    estimatedMs: new WaitEstimate(view).estimatedMs([], view.waiting),
    gate: view.gateReason && view.gateUntil ? { reason: view.gateReason, untilMs: view.gateUntil } : null,
  };
}

function parseSample(sample: string): { holdMs: number; work: number | null } {
  const [holdMs, work] = sample.split(':');
  return { holdMs: Number(holdMs), work: work && Number(work) > 0 ? Number(work) : null };
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** An empty Lua table has no way to say that it is a list. */
function asList<T>(value: readonly T[] | Readonly<Record<string, never>>): readonly T[] {
  return value instanceof Array ? value : [];
}
