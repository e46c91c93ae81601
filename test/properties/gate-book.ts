import { PROBE_MS } from './universe';
import type { StoredState } from './stored-state';

interface Gate {
  until: number;
  /** Admitted behind the gate and not yet proven; since when it runs, null while it is only offered. */
  readonly probes: Map<string, number | null>;
  /** Somebody got through unrefused; on an uncapped endpoint the waves grow from here. */
  proven: boolean;
}

/** What the model knows of the gates, from the commands alone. */
export class GateBook {
  private readonly gates = new Map<string, Gate>();

  close(cap: string, until: number): void {
    const gate = this.gates.get(cap);
    this.gates.set(cap, { until: Math.max(until, gate?.until ?? 0), probes: new Map(), proven: false });
  }

  clear(): void {
    this.gates.clear();
  }

  isClosed(cap: string, now: number): boolean {
    const gate = this.gates.get(cap);
    return gate !== undefined && now < gate.until;
  }

  untilOf(cap: string): number | null {
    return this.gates.get(cap)?.until ?? null;
  }

  isProven(cap: string): boolean {
    return this.gates.get(cap)?.proven ?? true;
  }

  probesOf(cap: string): ReadonlyMap<string, number | null> {
    return this.gates.get(cap)?.probes ?? new Map<string, number | null>();
  }

  /** Whether the gate may keep a waiter back: it is closed, or somebody tries it out. */
  mayBlock(cap: string, absent: ReadonlySet<string>): boolean {
    const gate = this.gates.get(cap);
    if (!gate) return false;
    if (this.now < gate.until) return true;
    return [...gate.probes.keys()].some((placeId) => !absent.has(placeId));
  }

  /** Set at the start of each step. */
  now = 0;

  /** Whoever has run long enough by the start of a script is accepted, whatever the script does then. */
  noteTime(now: number, before: StoredState): void {
    this.now = now;
    for (const [cap, gate] of this.gates) {
      for (const [placeId, since] of gate.probes) {
        if (since !== null && since + PROBE_MS <= now) this.accept(cap, gate, placeId, before);
      }
    }
  }

  noteStarted(placeId: string, now: number): void {
    for (const { probes } of this.gates.values()) if (probes.has(placeId)) probes.set(placeId, now);
  }

  noteEndedWell(placeId: string, state: StoredState): void {
    for (const [cap, gate] of this.gates)
      if (gate.probes.has(placeId)) this.accept(cap, gate, placeId, state);
  }

  /** Books who came in and who is gone, from what the store looks like after the step. */
  noteState(before: StoredState, after: StoredState, resumed: ReadonlySet<string>): void {
    for (const [cap, gate] of this.gates) {
      const { held, overrun, gateUntil } = after.caps.get(cap)!;
      if (gate.proven && gateUntil === null) {
        this.gates.delete(cap);
        continue;
      }
      for (const placeId of gate.probes.keys()) {
        if (!held.has(placeId) && !overrun.has(placeId)) gate.probes.delete(placeId);
      }
      for (const placeId of held.keys()) {
        const was = before.caps.get(cap)!;
        if (was.held.has(placeId) || was.overrun.has(placeId) || resumed.has(placeId)) continue;
        const isHeld = after.places.get(placeId)?.state === 'held';
        if (!gate.probes.has(placeId)) gate.probes.set(placeId, isHeld ? this.now : null);
      }
    }
  }

  private accept(cap: string, gate: Gate, placeId: string, state: StoredState): void {
    gate.probes.delete(placeId);
    gate.proven = true;
    // A capped endpoint opens at once; an uncapped one in waves, whose end the store tells.
    if (state.caps.get(cap)!.limit !== null && gate.probes.size === 0) this.gates.delete(cap);
  }
}
