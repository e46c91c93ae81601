#!/usr/bin/env node
/**
 * Speaks the eight sample recordings with Debian's espeak-ng and writes them to samples/, together with
 * samples/transcripts.json: what is said in each, keyed by the SHA-256 of the file, which is how the
 * emulator knows a sample when it hears one.
 *
 * Each line of a script is rendered by itself, so the start and end of every segment are exact.
 * espeak-ng speaks at 22,050 Hz; the files are 16 kHz mono 16-bit, what speech models are trained on.
 *
 * Needs `apt-get install espeak-ng`. Run by hand: `node scripts/make-samples.mjs`; the result is committed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SAMPLE_RATE = 16_000;
const PAUSE_SECONDS = 0.15;
const VOICES = {
  'Game master': ['-v', 'en-gb', '-s', '175', '-p', '35'],
  Mira: ['-v', 'en-us+f3', '-s', '185', '-p', '60'],
  Tomas: ['-v', 'en-us+m2', '-s', '180', '-p', '45'],
};

const SAMPLES = [
  [
    '01-the-gate',
    [
      ['Game master', 'The north gate is barred, and no guard answers.'],
      ['Mira', 'I knock, then listen.'],
    ],
  ],
  [
    '02-the-ferryman',
    [
      ['Tomas', 'How much to cross tonight?'],
      ['Game master', 'The ferryman asks for a true story.'],
    ],
  ],
  [
    '03-the-library',
    [
      ['Game master', 'Every book here is blank, save one.'],
      ['Mira', 'I take it and run.'],
    ],
  ],
  [
    '04-the-wolf',
    [
      ['Tomas', 'I lower my bow. The wolf is hurt.'],
      ['Game master', 'She limps away at dawn.'],
    ],
  ],
  [
    '05-the-bargain',
    [
      ['Game master', 'The hag wants seven years for the key.'],
      ['Mira', 'Whose years, exactly?'],
    ],
  ],
  [
    '06-the-storm',
    [
      ['Game master', 'Lightning splits the mast, and the ship turns.'],
      ['Tomas', 'I cut the sail loose.'],
    ],
  ],
  [
    '07-the-crown',
    [
      ['Mira', 'The crown is a fake.'],
      ['Game master', 'Then where, asks the queen, is the real one?'],
    ],
  ],
  [
    '08-the-camp',
    [
      ['Tomas', 'I take the first watch.'],
      ['Game master', 'At midnight, a bell rings below the lake.'],
    ],
  ],
];

/** @returns {Int16Array} the samples in a RIFF file's data chunk; espeak-ng writes no honest chunk size to a pipe. */
function samplesOf(wav) {
  const data = wav.indexOf('data') + 8;
  const length = Math.floor((wav.length - data) / 2);
  return Int16Array.from({ length }, (_, index) => wav.readInt16LE(data + index * 2));
}

/** Windowed-sinc resampling, cut off below the lower Nyquist frequency, so that nothing folds back. */
function resample(input, from, to) {
  const step = from / to;
  const cutoff = 0.95 * Math.min(1, to / from);
  const reach = 24;
  return Float64Array.from({ length: Math.floor(input.length / step) }, (_, index) => {
    const centre = index * step;
    let sum = 0;
    for (let near = Math.ceil(centre - reach); near <= centre + reach; near += 1) {
      const distance = near - centre;
      const x = Math.PI * distance * cutoff;
      const sinc = x === 0 ? 1 : Math.sin(x) / x;
      const hann = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1));
      sum += (input[near] ?? 0) * cutoff * sinc * hann;
    }
    return sum;
  });
}

/** espeak-ng pads each utterance with silence; without it the pauses are ours. */
function trim(audio) {
  const loud = (value) => Math.abs(value) > 160;
  const first = audio.findIndex(loud);
  const last = audio.findLastIndex(loud);
  return audio.slice(Math.max(0, first - 160), last + 800);
}

function speak(speaker, text) {
  const wav = execFileSync('espeak-ng', [...VOICES[speaker], '--stdout', text], { maxBuffer: 1 << 24 });
  return trim(resample(samplesOf(wav), wav.readUInt32LE(24), SAMPLE_RATE));
}

function toWav(audio) {
  const wav = Buffer.alloc(44 + audio.length * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(audio.length * 2, 40);
  audio.forEach((value, index) => {
    wav.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(value))), 44 + index * 2);
  });
  return wav;
}

const seconds = (sampleCount) => Math.round((sampleCount / SAMPLE_RATE) * 1000) / 1000;
const pause = new Float64Array(PAUSE_SECONDS * SAMPLE_RATE);
const folder = new URL('../samples/', import.meta.url);
mkdirSync(folder, { recursive: true });
const transcripts = {};

for (const [name, lines] of SAMPLES) {
  const parts = [pause];
  const segments = [];
  let length = pause.length;
  for (const [speaker, text] of lines) {
    const speech = speak(speaker, text);
    segments.push({ start: seconds(length), end: seconds(length + speech.length), speaker, text });
    parts.push(speech, pause);
    length += speech.length + pause.length;
  }
  const wav = toWav(Float64Array.from(parts.flatMap((part) => [...part])));
  const file = `${name}.wav`;
  writeFileSync(new URL(file, folder), wav);
  const digest = createHash('sha256').update(wav).digest('hex');
  transcripts[digest] = { file, language: 'en', duration_seconds: seconds(length), segments };
}

writeFileSync(new URL('transcripts.json', folder), `${JSON.stringify(transcripts, null, 2)}\n`);
console.log(`8 recordings and transcripts.json written to ${fileURLToPath(folder)}`);
