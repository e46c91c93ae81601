import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PayloadTooLargeError, UnsupportedMediaTypeError, ValidationFailedError } from '@app/kernel';
import { RecordingStore } from '@app/storage';

const SAMPLES = join(__dirname, '../../../samples');

async function setup(maxBytes = 1_000_000) {
  const root = await mkdtemp(join(tmpdir(), 'recordings-'));
  const files = async () =>
    (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((e) => e.name);
  return {
    store: new RecordingStore(`file:${root}`, maxBytes),
    files,
    clean: () => rm(root, { recursive: true }),
  };
}

async function sample(): Promise<Buffer> {
  const [name] = (await readdir(SAMPLES)).filter((file) => file.endsWith('.wav')).sort();
  return readFile(join(SAMPLES, name ?? ''));
}

describe('the recording store', () => {
  it('keeps a recording whole and tells its type and duration from the content', async () => {
    const { store, clean } = await setup();
    const wav = await sample();
    const stored = await store.save(Readable.from([wav.subarray(0, 10), wav.subarray(10)]));
    expect(stored).toMatchObject({ bytes: wav.length, contentType: 'audio/wav' });
    expect(stored.durationSeconds).toBeCloseTo((wav.length - 44) / 32_000, 1);
    expect((await readFile(store.pathOf(stored.key))).equals(wav)).toBe(true);
    await store.remove(stored.key);
    expect(await store.exists(stored.key)).toBe(false);
    await clean();
  });

  it.each([
    ['a text', Readable.from([Buffer.from('RIFF is what this text starts with')]), UnsupportedMediaTypeError],
    ['nothing', Readable.from([]), ValidationFailedError],
  ])('refuses %s and leaves no file', async (_, source, expected) => {
    const { store, files, clean } = await setup();
    await expect(store.save(source)).rejects.toBeInstanceOf(expected);
    expect(await files()).toEqual([]);
    await clean();
  });

  it('refuses what is too large while it streams and leaves no file', async () => {
    const { store, files, clean } = await setup(50_000);
    await expect(store.save(Readable.from([await sample()]))).rejects.toBeInstanceOf(PayloadTooLargeError);
    expect(await files()).toEqual([]);
    await clean();
  });

  it('leaves no file when the sender goes away', async () => {
    const { store, files, clean } = await setup();
    const wav = await sample();
    const source = Readable.from(
      (async function* () {
        yield wav.subarray(0, 20_000);
        throw new Error('gone');
      })(),
    );
    await expect(store.save(source)).rejects.toThrow('gone');
    expect(await files()).toEqual([]);
    await clean();
  });
});
