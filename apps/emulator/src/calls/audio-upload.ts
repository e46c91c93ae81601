import busboy from 'busboy';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { BadCallError } from '../dialects/provider-error';
import { durationSecondsOf, WAV_HEAD_BYTES } from './wav-length';

/** What is kept of an upload: never the audio itself. */
export interface UploadedAudio {
  /** SHA-256 of the file, hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
  readonly durationSeconds: number;
  readonly fields: Readonly<Record<string, string>>;
}

type UploadedFile = Omit<UploadedAudio, 'fields'>;

/**
 * Reads a multipart upload as it streams in, of any size: the digest and the length are computed on the
 * way, and no more than the file's head is ever held.
 *
 * @throws BadCallError when it is no multipart form, is broken, or has no `file`
 */
export async function readAudioUpload(request: IncomingMessage): Promise<UploadedAudio> {
  const form = openForm(request);
  const fields: Record<string, string> = {};
  let file: Promise<UploadedFile> | undefined;
  form.on('field', (name, value) => {
    fields[name] = value;
  });
  form.on('file', (name, stream) => {
    if (name !== 'file' || file !== undefined) {
      stream.resume();
      return;
    }
    file = digestOf(stream);
    // Awaited only after the whole form: without this a cut upload would be an unhandled rejection.
    file.catch(() => undefined);
  });
  await readForm(request, form);
  if (file === undefined) throw new BadCallError('Field required: file');
  return { ...(await file), fields };
}

function openForm(request: IncomingMessage): busboy.Busboy {
  try {
    return busboy({ headers: request.headers, limits: { fields: 50, fieldSize: 1_048_576, files: 10 } });
  } catch {
    throw new BadCallError('The body must be multipart/form-data with a boundary');
  }
}

/** By hand, for `pipeline` would destroy the socket of a broken form before it could be refused. */
async function readForm(request: IncomingMessage, form: busboy.Busboy): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    form.once('close', resolve);
    form.once('error', (error) => {
      request.unpipe(form);
      request.resume();
      reject(
        new BadCallError(`The form is broken: ${error instanceof Error ? error.message : String(error)}`),
      );
    });
    request.once('close', () => {
      if (request.complete) return;
      form.destroy();
      reject(new Error('The client went away in the middle of its upload'));
    });
    request.pipe(form);
  });
}

async function digestOf(stream: Readable): Promise<UploadedFile> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let headBytes = 0;
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (headBytes < WAV_HEAD_BYTES) {
      // A copy: a slice would keep the whole chunk alive.
      const part = Buffer.from(chunk.subarray(0, WAV_HEAD_BYTES - headBytes));
      head.push(part);
      headBytes += part.length;
    }
  }
  return {
    digest: hash.digest('hex'),
    bytes,
    durationSeconds: durationSecondsOf(Buffer.concat(head), bytes),
  };
}
