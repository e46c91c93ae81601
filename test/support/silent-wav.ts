const SAMPLE_RATE = 8_000;
const HEADER_BYTES = 44;

/**
 * A WAV file of silence. The emulator's transcript of it names its length, so files whose lengths differ by a
 * tenth of a second or more lead to different recap prompts, and their sends can be told apart.
 */
export function silentWav(seconds: number): Buffer {
  const samples = Math.round(seconds * SAMPLE_RATE);
  const wav = Buffer.alloc(HEADER_BYTES + samples, 0x80);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(HEADER_BYTES - 8 + samples, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples, 40);
  return wav;
}
