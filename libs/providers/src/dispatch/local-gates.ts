import { SlotBusyError } from '@app/provider-slots';
import type { CurableRefusal } from '../refusal/provider-failure';

interface LocalGate {
  readonly untilMs: number;
  readonly reason: CurableRefusal;
}

/** Thrown inside a grant that comes while this process knows the gate to be closed; nothing was sent. */
export class HeldBack extends Error {
  constructor(
    readonly cap: string,
    readonly reason: CurableRefusal,
    readonly forMs: number,
  ) {
    super(`The gate of ${cap} is closed`);
  }

  toBusy(): SlotBusyError {
    const blockedBy = { cap: this.cap, reason: 'gate', gateReason: this.reason, limit: null } as const;
    return new SlotBusyError(blockedBy, this.forMs);
  }
}

/**
 * What this process knows of closed gates. It counts while Redis is away only, where the shared gates are:
 * a slot is then granted by this process alone, and a provider that asks for a pause would get none.
 */
export class LocalGates {
  private readonly gates = new Map<string, LocalGate>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A later, shorter pause never shortens the gate. */
  close(cap: string, reason: CurableRefusal, forMs: number): void {
    const untilMs = this.now() + forMs;
    if (untilMs > (this.gates.get(cap)?.untilMs ?? 0)) this.gates.set(cap, { untilMs, reason });
  }

  /** @throws HeldBack */
  check(cap: string): void {
    const gate = this.gates.get(cap);
    const leftMs = gate ? Math.ceil(gate.untilMs - this.now()) : 0;
    if (gate && leftMs > 0) throw new HeldBack(cap, gate.reason, leftMs);
  }
}
