import { Injectable } from '@nestjs/common';
import { ProviderSlots } from '@app/provider-slots';
import { placeOf } from './session-places';
import type { SessionPhase } from './session-status';
import type { Session } from './session.entity';

/** Where a session stands in the queue of a provider. */
export interface ProcessingWait {
  readonly kind: SessionPhase;
  /** How many are ahead; 0 is next. */
  readonly position: number;
  /** Null until there is history. */
  readonly estimated_seconds: number | null;
  readonly since: string;
  /** Only while the provider asked us to pause: when it may be asked again. */
  readonly paused_until?: string;
}

/** Reads a session's wait from the slots, where it is kept; nothing about it is stored twice. */
@Injectable()
export class SessionWaits {
  constructor(private readonly slots: ProviderSlots) {}

  /** Whether its row allows that it waits; only then Redis is asked. */
  mayWait({ status, phase }: Session): boolean {
    return (status === 'queued' || status === 'summarising') && phase !== null;
  }

  /** Null when the session does not wait, and while Redis cannot say. */
  async find(session: Session): Promise<ProcessingWait | null> {
    const { id, run, phase } = session;
    if (!this.mayWait(session) || !phase) return null;
    const outlook = await this.slots.outlook(placeOf(id, run, phase)).catch(() => null);
    if (!outlook) return null;
    return {
      kind: phase,
      position: outlook.position,
      estimated_seconds:
        outlook.estimatedMs === null ? null : Math.max(0, Math.ceil(outlook.estimatedMs / 1_000)),
      since: new Date(outlook.sinceMs).toISOString(),
      ...(outlook.pausedUntilMs === null
        ? {}
        : { paused_until: new Date(outlook.pausedUntilMs).toISOString() }),
    };
  }
}
