import type { ProviderTranscript, TranscriptSegment } from '../dispatch/calls';
import { NoResultError } from '../wire/upstream-answer-error';

type Fields = Record<string, unknown>;

/** @throws NoResultError when the answer is no JSON object, or an error in the place of a result */
export function readObject(answer: unknown): Fields {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new NoResultError();
  const fields = answer as Fields;
  if (fields['error']) throw new NoResultError(answer);
  return fields;
}

/** @throws NoResultError when there is no text */
export function readText(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') throw new NoResultError();
  return text;
}

/** An amount of tokens, or undefined where none was reported: no text is made of, or from, 0 tokens. */
export function readAmount(amount: unknown): number | undefined {
  return typeof amount === 'number' && Number.isFinite(amount) && amount > 0 ? Math.round(amount) : undefined;
}

/**
 * A transcript in the form of OpenAI's `verbose_json` (segments) or `json` (text alone). Silence is a
 * result: no segments, empty text.
 *
 * @throws NoResultError when there is neither
 */
export function readTranscript(answer: unknown): ProviderTranscript {
  const fields = readObject(answer);
  const { segments, text } = fields;
  const durationSeconds = readSeconds(fields['duration']) ?? readSeconds(usageSeconds(fields)) ?? null;
  const language = typeof fields['language'] === 'string' ? fields['language'] : null;
  if (Array.isArray(segments)) return { language, durationSeconds, segments: readSegments(segments) };
  if (typeof text !== 'string') throw new NoResultError();
  const whole = { start: 0, end: durationSeconds ?? 0, speaker: null, text: text.trim() };
  return { language, durationSeconds, segments: whole.text ? [whole] : [] };
}

function readSegments(entries: unknown[]): TranscriptSegment[] {
  let reached = 0;
  const segments: TranscriptSegment[] = [];
  for (const entry of entries) {
    const { start, end, speaker, text } = readObject(entry);
    if (typeof text !== 'string') throw new NoResultError();
    // Aligners leave out the times of words they could not place.
    const from = readSeconds(start) ?? reached;
    reached = Math.max(readSeconds(end) ?? from, from);
    segments.push({
      start: from,
      end: reached,
      speaker: typeof speaker === 'string' ? speaker : null,
      text: text.trim(),
    });
  }
  return segments.filter((segment) => segment.text !== '');
}

function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function usageSeconds(fields: Fields): unknown {
  const { usage } = fields;
  return typeof usage === 'object' && usage !== null ? (usage as Fields)['seconds'] : undefined;
}
