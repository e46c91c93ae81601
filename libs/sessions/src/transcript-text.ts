import type { Segment } from './checkpoint.entities';

/** One line per segment, with its speaker where one is known. */
export function transcriptLines(segments: readonly Segment[]): string[] {
  return segments.map(({ speaker, text }) => (speaker ? `${speaker}: ${text.trim()}` : text.trim()));
}

/**
 * Cuts text into pieces of at most `maxChars`, at line ends where possible, so that no piece exceeds what
 * the model can read at once.
 */
export function chunkLines(lines: readonly string[], maxChars: number): string[] {
  const chunks: string[] = [];
  let current = '';
  for (const line of lines.flatMap((whole) => cutLine(whole, maxChars))) {
    if (current && current.length + 1 + line.length > maxChars) {
      chunks.push(current);
      current = '';
    }
    current = current ? `${current}\n${line}` : line;
  }
  if (current) chunks.push(current);
  return chunks;
}

function cutLine(line: string, maxChars: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < line.length; start += maxChars)
    pieces.push(line.slice(start, start + maxChars));
  return pieces;
}
