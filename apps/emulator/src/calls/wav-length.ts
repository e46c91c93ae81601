/** Enough of a file's beginning to find the data chunk behind whatever notes precede it. */
export const WAV_HEAD_BYTES = 4_096;

/** What most compressed recordings come to; only a guess, for files whose header we do not read. */
const ASSUMED_BYTES_PER_SECOND = 16_000;

/**
 * How long a recording is: exactly for WAV, by its header; for anything else a guess from its size.
 * A data size that was never filled in (streamed WAV) gives way to the bytes that really came.
 *
 * @param head the first bytes of the file
 */
export function durationSecondsOf(head: Buffer, bytes: number): number {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') {
    return bytes / ASSUMED_BYTES_PER_SECOND;
  }
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length;) {
    const chunk = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (chunk === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    if (chunk === 'data') {
      const came = bytes - at - 8;
      const length = size === 0 || size > came ? came : size;
      return bytesPerSecond > 0 ? Math.max(0, length / bytesPerSecond) : bytes / ASSUMED_BYTES_PER_SECOND;
    }
    at += 8 + size + (size % 2);
  }
  return bytes / ASSUMED_BYTES_PER_SECOND;
}
