import { UnsupportedMediaTypeError } from '@app/kernel';

/** Bytes from the start of a file that are enough to tell its type. */
export const SNIFF_BYTES = 4_100;

/** What file-type calls the containers that we take, and the type under which each is passed on. */
const TAKEN: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
  mkv: 'audio/webm',
};

/** Longest that reading a file's duration may take; a file that needs longer has an unknown one. */
const DURATION_TIMEOUT_MS = 10_000;

/**
 * The content type of a recording by its first bytes; its name and its declared type count for nothing.
 * @throws UnsupportedMediaTypeError
 */
export async function audioTypeOf(firstBytes: Uint8Array): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(firstBytes);
  const taken = found && TAKEN[found.ext];
  if (!taken) {
    throw new UnsupportedMediaTypeError(
      'Send wav, mp3, flac, ogg/opus, m4a or webm; the content is none of these',
    );
  }
  return taken;
}

/** Seconds of audio in a stored file, or null where the container does not say. */
export async function audioDurationSeconds(path: string): Promise<number | null> {
  const { parseFile } = await import('music-metadata');
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), DURATION_TIMEOUT_MS);
  });
  const parsed = parseFile(path, { duration: true, skipCovers: true }).then(
    ({ format }) => (format.duration !== undefined && format.duration > 0 ? format.duration : null),
    // A header that cannot be read is no reason to refuse a recording: the provider may still understand it.
    () => null,
  );
  return Promise.race([parsed, givenUp]).finally(() => clearTimeout(timer));
}
