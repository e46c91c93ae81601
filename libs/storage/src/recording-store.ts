import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newId, PayloadTooLargeError, ValidationFailedError } from '@app/kernel';
import { audioDurationSeconds, audioTypeOf, SNIFF_BYTES } from './audio-inspector';

/** A recording that is stored whole. */
export interface StoredRecording {
  readonly key: string;
  readonly bytes: number;
  readonly contentType: string;
  /** Of its bytes, in hex: tells two uploads of one recording from two recordings. */
  readonly sha256: string;
  /** Null where the container does not say. */
  readonly durationSeconds: number | null;
}

const INCOMING = 'incoming';

/**
 * Recordings on the local disk. A recording appears under its key only when it is whole and of a type
 * that we take; until then it is a file in `incoming/` that any failure removes.
 */
export class RecordingStore {
  private readonly root: string;

  constructor(
    storageUrl: string,
    private readonly maxBytes: number,
  ) {
    this.root = resolve(storageUrl.replace(/^file:(\/\/)?/, ''));
  }

  /**
   * Streams a recording to disk; at most a few hundred kB of it are in memory at any time.
   * @throws UnsupportedMediaTypeError, PayloadTooLargeError, ValidationFailedError (empty)
   */
  async save(source: Readable): Promise<StoredRecording> {
    const id = newId();
    const incoming = join(this.root, INCOMING, id);
    await mkdir(dirname(incoming), { recursive: true });
    try {
      // Opened before anything can fail: a file that a stream opens by itself may appear after it was removed.
      const file = await open(incoming, 'wx', 0o600);
      const inspector = new RecordingInspector(this.maxBytes);
      await pipeline(source, inspector, file.createWriteStream());
      const durationSeconds = await audioDurationSeconds(incoming);
      const key = join(id.slice(-2), id);
      await mkdir(dirname(this.pathOf(key)), { recursive: true });
      await rename(incoming, this.pathOf(key));
      const { bytes, contentType, sha256 } = inspector;
      return { key, bytes, contentType, sha256, durationSeconds };
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
  }

  /** Absolute path of a stored recording, for adapters that stream it from disk. */
  pathOf(key: string): string {
    return join(this.root, key);
  }

  async exists(key: string): Promise<boolean> {
    return stat(this.pathOf(key)).then(
      () => true,
      () => false,
    );
  }

  /** Removing what is gone already is no error. */
  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  /** Free bytes on the disk. @throws when the folder cannot be used. */
  async freeBytes(): Promise<number> {
    await mkdir(join(this.root, INCOMING), { recursive: true });
    const { bavail, bsize } = await statfs(this.root);
    return bavail * bsize;
  }
}

/** Counts, and judges the type as soon as enough bytes are there, so that a wrong file is refused early. */
class RecordingInspector extends Transform {
  bytes = 0;
  contentType = '';
  private head: Buffer[] = [];
  private readonly hash = createHash('sha256');

  constructor(private readonly maxBytes: number) {
    super();
  }

  override _transform(
    chunk: Buffer,
    _encoding: string,
    done: (error?: Error | null, data?: Buffer) => void,
  ): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) return done(new PayloadTooLargeError(this.maxBytes));
    this.hash.update(chunk);
    if (this.contentType) return done(null, chunk);
    this.head.push(chunk);
    if (this.bytes < SNIFF_BYTES) return done(null, chunk);
    this.judge().then(() => done(null, chunk), done);
  }

  override _flush(done: (error?: Error | null) => void): void {
    if (this.contentType) return done();
    if (this.bytes === 0)
      return done(new ValidationFailedError([{ field: 'audio', problem: 'is an empty file' }]));
    this.judge().then(() => done(), done);
  }

  /** Once all has passed. */
  get sha256(): string {
    return this.hash.digest('hex');
  }

  private async judge(): Promise<void> {
    this.contentType = await audioTypeOf(Buffer.concat(this.head));
    this.head = [];
  }
}
