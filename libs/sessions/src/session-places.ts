import type { SessionPhase } from './session-status';

/** The place of one run at one kind of provider; it lives over every re-queue of the job. */
export function placeOf(sessionId: string, run: number, phase: SessionPhase): string {
  return `session:${sessionId}:${run}:${phase}`;
}

/** Both places a run may ever have. */
export function placesOf(sessionId: string, run: number): string[] {
  return [placeOf(sessionId, run, 'asr'), placeOf(sessionId, run, 'llm')];
}

/** The inverse of `placeOf`; undefined for a place that is no session's. */
export function parsePlace(placeId: string): { rowId: string; run: number } | undefined {
  const [kind, rowId, run, phase, ...rest] = placeId.split(':');
  if (kind !== 'session' || !rowId || !run || !phase || rest.length > 0) return undefined;
  return { rowId, run: Number(run) };
}
