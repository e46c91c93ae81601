import type { FlightEntry } from '../../apps/emulator/src/flight-recorder';

/** What crosses the refusal on the wire cannot know of it yet. */
const CROSSING_MS = 50;

/** A probe counts as accepted once it has run this long unrefused. */
const ACCEPTED_AFTER_MS = 5_000;

/** What the emulator's log says of closed gates. */
export interface GateLog {
  /** Requests that arrived while a gate was closed. */
  readonly inside: FlightEntry[];
  /** Requests that arrived after a gate's end, beside its probe and before that had ended well. */
  readonly besideProbe: FlightEntry[];
  readonly refusals: number;
}

/**
 * Reads a log of one endpoint whose every refusal asked for the same pause. A gate is closed from a refusal's
 * end until the pause is over; of several that overlap the latest end counts.
 */
export function readGates(log: readonly FlightEntry[], pauseMs: number): GateLog {
  const inside: FlightEntry[] = [];
  const besideProbe: FlightEntry[] = [];
  const refused = log.filter(({ status }) => status === 429);
  for (const entry of log) {
    const arrived = Date.parse(entry.arrived_at);
    const before = refused.filter((other) => endOf(other) + CROSSING_MS < arrived);
    const gateEnd = Math.max(0, ...before.map((other) => endOf(other) + pauseMs));
    if (arrived < gateEnd) inside.push(entry);
    const probe = log.find((other) => Date.parse(other.arrived_at) >= gateEnd && gateEnd > 0);
    if (probe === undefined || probe === entry) continue;
    const acceptedAt = Math.min(endOf(probe), Date.parse(probe.arrived_at) + ACCEPTED_AFTER_MS);
    if (arrived >= gateEnd && arrived < acceptedAt) besideProbe.push(entry);
  }
  return { inside, besideProbe, refusals: refused.length };
}

function endOf(entry: FlightEntry): number {
  return entry.ended_at === null ? Infinity : Date.parse(entry.ended_at);
}
