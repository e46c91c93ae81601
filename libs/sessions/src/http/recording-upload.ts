import { pipeline } from 'node:stream';
import { PayloadTooLargeError, ValidationFailedError } from '@app/kernel';
import type { RecordingStore, StoredRecording } from '@app/storage';
import busboy, { type Busboy } from 'busboy';
import type { Request } from 'express';

/** The text fields that may stand beside the recording. */
const FIELDS = ['title', 'language'] as const;
const FILE_FIELD = 'audio';
const LONGEST_FIELD_BYTES = 2_000;

/** What came in one multipart body. */
export interface RecordingUpload {
  readonly recording: StoredRecording;
  readonly fields: Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;
}

/**
 * Reads a multipart body with one recording in it, straight to storage. Whatever goes wrong, also a sender
 * that goes away, nothing stays behind.
 * @throws ValidationFailedError, UnsupportedMediaTypeError, PayloadTooLargeError
 */
export async function readRecordingUpload(request: Request, store: RecordingStore): Promise<RecordingUpload> {
  const parser = openParser(request);
  const fields: Record<string, string> = {};
  let saving: Promise<StoredRecording> | undefined;

  const parsed = new Promise<void>((resolve, reject) => {
    parser.on('field', (name, value, info) => {
      if (!FIELDS.some((field) => field === name)) reject(wrongField(name, 'is not a field of this route'));
      if (info.valueTruncated) reject(wrongField(name, `is longer than ${LONGEST_FIELD_BYTES} bytes`));
      fields[name] = value;
    });
    parser.on('file', (name, file) => {
      // Destroyed in the middle of a body it says so, after everybody has stopped listening: unheard, that
      // would end the process.
      file.on('error', () => undefined);
      if (name !== FILE_FIELD || saving) {
        file.resume();
        return reject(wrongField(name, saving ? 'is a second file' : `must be named "${FILE_FIELD}"`));
      }
      saving = store.save(file);
      saving.catch(reject);
    });
    parser.on('partsLimit', () => reject(wrongField('body', 'has too many parts')));
    pipeline(request, parser, (error) => {
      if (!error) return resolve();
      // A body that ends early, or is no multipart at all.
      reject(new ValidationFailedError([{ field: 'body', problem: 'is not a complete multipart body' }]));
    });
  });

  try {
    await parsed;
    if (!saving) throw wrongField(FILE_FIELD, 'is missing: send the recording as a file of this name');
    return { recording: await saving, fields };
  } catch (error) {
    parser.destroy();
    const saved = await saving?.catch(() => undefined);
    if (saved) await store.remove(saved.key);
    throw error;
  }
}

/** Refuses by the declared length before a byte is read. @throws PayloadTooLargeError */
export function refuseOversized(request: Request, maxBytes: number): void {
  const ENVELOPE_BYTES = 64 * 1_024;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes + ENVELOPE_BYTES) throw new PayloadTooLargeError(maxBytes);
}

function openParser(request: Request): Busboy {
  try {
    return busboy({
      headers: request.headers,
      limits: { files: 2, fields: 10, parts: 12, fieldSize: LONGEST_FIELD_BYTES },
    });
  } catch (error) {
    throw new ValidationFailedError([{ field: 'body', problem: 'must be multipart/form-data' }], {
      cause: error,
    });
  }
}

function wrongField(field: string, problem: string): ValidationFailedError {
  return new ValidationFailedError([{ field, problem }]);
}
