export type SessionStatus = 'queued' | 'transcribing' | 'summarising' | 'completed' | 'failed' | 'cancelled';

/** Which provider a session is at, or waits for. */
export type SessionPhase = 'asr' | 'llm';

/**
 * Every move a session may make. Parked for ASR reads `queued`, parked for the LLM reads `summarising`;
 * a new run starts from a terminal state, at the transcript where there is one.
 */
const TRANSITIONS: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  queued: ['transcribing', 'failed', 'cancelled'],
  transcribing: ['queued', 'summarising', 'failed', 'cancelled'],
  summarising: ['completed', 'failed', 'cancelled'],
  completed: ['queued'],
  failed: ['queued', 'summarising'],
  cancelled: ['queued', 'summarising'],
};

export const SESSION_STATUSES = Object.keys(TRANSITIONS) as SessionStatus[];

const UNFINISHED: readonly SessionStatus[] = ['queued', 'transcribing', 'summarising'];

export function isTerminal(status: SessionStatus): boolean {
  return !UNFINISHED.includes(status);
}

/** States from which `to` may be entered: what a guarded update matches. */
export function statusesBefore(to: SessionStatus): SessionStatus[] {
  return SESSION_STATUSES.filter((from) => TRANSITIONS[from].includes(to));
}

/** @throws Error for a move that does not exist: a fault of ours, not of the caller. */
export function assertTransition(from: SessionStatus, to: SessionStatus): void {
  if (!TRANSITIONS[from].includes(to)) throw new Error(`A session cannot go from ${from} to ${to}`);
}
