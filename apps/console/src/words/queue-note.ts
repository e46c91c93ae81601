import type { ProcessingWait } from '../api/client';
import { aboutHowLong } from './time-words';

/** What the note says: the place and time, and why nothing moves while a provider asked us to pause. */
export interface QueueNote {
  readonly place: string;
  readonly pause: string | undefined;
}

const WORK = { asr: 'transcription', llm: 'recap' } as const;

/** "Queued behind 3, about 12 minutes"; "Next in line, about 4 minutes"; without history no minutes. */
export function wordQueueNote(wait: ProcessingWait, now = Date.now()): QueueNote {
  const position = Math.max(0, Math.floor(wait.position));
  const place = position === 0 ? 'Next in line' : `Queued behind ${position.toLocaleString()}`;
  const seconds = wait.estimated_seconds;
  const knowsHowLong = typeof seconds === 'number' && Number.isFinite(seconds);
  return {
    place: knowsHowLong ? `${place}, ${aboutHowLong(seconds)}` : place,
    pause: wordPause(wait, now),
  };
}

function wordPause(wait: ProcessingWait, now: number): string | undefined {
  const leftSeconds = wait.paused_until ? (Date.parse(wait.paused_until) - now) / 1_000 : 0;
  if (!(leftSeconds > 0)) return undefined;
  return `The ${WORK[wait.kind]} service asked us to pause for ${aboutHowLong(leftSeconds)}; everything continues by itself after that.`;
}
