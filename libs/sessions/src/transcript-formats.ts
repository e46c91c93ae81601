import type { Segment } from './checkpoint.entities';
import { transcriptLines } from './transcript-text';

/** Plain text, a line per segment. */
export function asText(segments: readonly Segment[]): string {
  return `${transcriptLines(segments).join('\n')}\n`;
}

/** SubRip subtitles. */
export function asSrt(segments: readonly Segment[]): string {
  return cues(segments, ',')
    .map((cue, index) => `${index + 1}\n${cue}`)
    .join('\n');
}

/** WebVTT subtitles (W3C). */
export function asVtt(segments: readonly Segment[]): string {
  return `WEBVTT\n\n${cues(segments, '.').join('\n')}`;
}

function cues(segments: readonly Segment[], decimalMark: ',' | '.'): string[] {
  const lines = transcriptLines(segments);
  return segments.map(({ start, end }, index) => {
    // "-->" inside a cue's text would be read as timing.
    const text = (lines[index] ?? '').replaceAll('-->', '->').replace(/\s*\n\s*/g, ' ');
    return `${timestamp(start, decimalMark)} --> ${timestamp(Math.max(end, start), decimalMark)}\n${text}\n`;
  });
}

function timestamp(seconds: number, decimalMark: string): string {
  const ms = Math.round(Math.max(0, seconds) * 1_000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const hours = two(ms / 3_600_000);
  const minutes = two((ms / 60_000) % 60);
  const rest = two((ms / 1_000) % 60);
  return `${hours}:${minutes}:${rest}${decimalMark}${String(ms % 1_000).padStart(3, '0')}`;
}
