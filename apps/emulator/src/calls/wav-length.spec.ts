import { durationSecondsOf } from './wav-length';

function wav(dataSize: number, notes = 0): Buffer {
  const head = Buffer.alloc(44 + (notes ? 8 + notes : 0));
  head.write('RIFF', 0);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt32LE(32_000, 28);
  if (notes) {
    head.write('LIST', 36);
    head.writeUInt32LE(notes, 40);
  }
  head.write('data', head.length - 8);
  head.writeUInt32LE(dataSize, head.length - 4);
  return head;
}

describe('durationSecondsOf', () => {
  it('reads the length of a WAV from its header, behind notes too', () => {
    expect(durationSecondsOf(wav(64_000), 64_044)).toBe(2);
    expect(durationSecondsOf(wav(64_000, 26), 64_078)).toBe(2);
  });

  it('goes by the bytes that came where the header was never filled in', () => {
    expect(durationSecondsOf(wav(0xffffffff), 32_044)).toBe(1);
    expect(durationSecondsOf(wav(0), 32_044)).toBe(1);
  });

  it('guesses for anything else, and survives stumps', () => {
    expect(durationSecondsOf(Buffer.from('ID3'), 160_000)).toBe(10);
    expect(durationSecondsOf(Buffer.alloc(0), 0)).toBe(0);
    expect(durationSecondsOf(wav(64_000).subarray(0, 30), 30)).toBeGreaterThanOrEqual(0);
  });
});
