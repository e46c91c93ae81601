import { randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { AudioFile } from '../dispatch/calls';

const CHUNK_BYTES = 65_536;

export interface AudioForm {
  readonly body: ReadableStream<Uint8Array>;
  readonly headers: Record<string, string>;
}

/**
 * A multipart form with one recording, read from disk as fast as the other side takes it. A FormData with a
 * file-backed Blob looks simpler, but Node reads it ahead of a slow connection: 500 MB cost 550 MB of
 * memory when tried. The length is declared, because not every server takes a chunked upload.
 *
 * Closes the file at the end of the stream, and also when the stream is cancelled.
 */
export async function openAudioForm(
  audio: AudioFile,
  fields: Readonly<Record<string, string>>,
): Promise<AudioForm> {
  const file = await open(audio.path, 'r');
  try {
    const { size } = await file.stat();
    const boundary = `questline-${randomBytes(16).toString('hex')}`;
    const head = Buffer.from(
      Object.entries(fields)
        .map(
          ([name, value]) =>
            `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
        )
        .join('') +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${plainName(audio)}"\r\n` +
        `Content-Type: ${plainType(audio)}\r\n\r\n`,
    );
    const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    return {
      body: toStream(file, size, head, tail),
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(head.length + size + tail.length),
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The file may grow or shrink meanwhile; then the send breaks on its declared length instead of lying. */
function toStream(file: FileHandle, size: number, head: Buffer, tail: Buffer): ReadableStream<Uint8Array> {
  let position = -1;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (position < 0) {
          position = 0;
          return controller.enqueue(head);
        }
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position));
        const { bytesRead } =
          chunk.length > 0 ? await file.read(chunk, 0, chunk.length, position) : { bytesRead: 0 };
        if (bytesRead > 0) {
          position += bytesRead;
          return controller.enqueue(chunk.subarray(0, bytesRead));
        }
        await file.close();
        controller.enqueue(tail);
        controller.close();
      },
      async cancel() {
        await file.close().catch(() => undefined);
      },
    },
    { highWaterMark: 1 },
  );
}

/** The user's own file name is nobody's business but ours; servers want its ending to tell the format. */
function plainName(audio: AudioFile): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(audio.filename)?.[1] ?? 'wav';
  return `recording.${ending.toLowerCase()}`;
}

function plainType(audio: AudioFile): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(audio.contentType) ? audio.contentType : 'application/octet-stream';
}
