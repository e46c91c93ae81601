import { randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { AppError } from '@app/kernel';
import type { AudioFile } from '../dispatch/calls';

const CHUNK_BYTES = 65_536;
/**
 * Buffers that take turns. Fresh ones cost nothing but memory: Node 20 collects them so late that 500 MB
 * sent were 500 MB held (measured). A chunk is larger than a socket's high-water mark, so the sender waits
 * until the socket has drained before it asks for the next one: two are in use at any time.
 */
const CHUNKS_IN_TURN = 8;

/** The recording cannot be read from our own disk: no fault of any provider. */
export class RecordingUnreadableError extends AppError {
  readonly code = 'internal_error';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('The recording cannot be read', { cause });
  }
}

export interface AudioForm {
  readonly body: ReadableStream<Uint8Array>;
  readonly headers: Record<string, string>;
  /** Closes the file, whoever still holds the stream. May be called again, also after the end. */
  close(): Promise<void>;
}

/**
 * A multipart form with one recording, read from disk as fast as the other side takes it. A FormData with a
 * file-backed Blob looks simpler, but Node reads that ahead of a slow connection, all of it. The length is
 * declared, because not every server takes a chunked upload.
 *
 * Closes the file at the end of the stream, and also when the stream is cancelled. An aborted call may leave a
 * stream that is neither read nor cancelled any more: whoever opened the form closes it.
 *
 * @throws RecordingUnreadableError, also in the midst of the stream
 */
export async function openAudioForm(
  audio: AudioFile,
  fields: Readonly<Record<string, string>>,
): Promise<AudioForm> {
  const file = await reading(open(audio.path, 'r'));
  const { size } = await reading(file.stat()).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
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
  const chunks = chunksOf(file, size, head, tail);
  const close = async (): Promise<void> => {
    await chunks.return().catch(() => undefined);
    // A stream that was never read has not entered its loop, and so not left it either.
    await file.close().catch(() => undefined);
  };
  return {
    body: toStream(chunks, close),
    close,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + size + tail.length),
    },
  };
}

function toStream(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  close: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** A file that shrinks meanwhile ends short of its declared length, and the send breaks instead of lying. */
async function* chunksOf(
  file: FileHandle,
  size: number,
  head: Buffer,
  tail: Buffer,
): AsyncGenerator<Uint8Array, void, void> {
  const buffers = Array.from({ length: CHUNKS_IN_TURN }, () => Buffer.allocUnsafeSlow(CHUNK_BYTES));
  try {
    yield head;
    let position = 0;
    for (let turn = 0; position < size; turn += 1) {
      const buffer = buffers[turn % CHUNKS_IN_TURN]!;
      const length = Math.min(CHUNK_BYTES, size - position);
      const { bytesRead } = await reading(file.read(buffer, 0, length, position));
      if (bytesRead === 0) break;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    yield tail;
  } finally {
    await file.close();
  }
}

async function reading<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => Promise.reject(new RecordingUnreadableError(error)));
}

/** The user's own file name is nobody's business but ours; servers want its ending to tell the format. */
function plainName(audio: AudioFile): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(audio.filename)?.[1] ?? 'wav';
  return `recording.${ending.toLowerCase()}`;
}

function plainType(audio: AudioFile): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(audio.contentType) ? audio.contentType : 'application/octet-stream';
}
