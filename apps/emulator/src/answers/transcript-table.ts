import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Segment, Transcript } from '../dialects/dialect';
import type { UploadedAudio } from '../calls/audio-upload';

/**
 * What is said in a recording: from the table of our samples by the file's SHA-256; of any other audio it
 * only says that it is emulated.
 */
export class TranscriptTable {
  private constructor(private readonly byDigest: Readonly<Record<string, Transcript>>) {}

  /**
   * Reads samples/transcripts.json from the nearest folder above that has it, so that sources, build output
   * and installed copies all find it; without it the table is empty.
   */
  static load(from: string = __dirname): TranscriptTable {
    for (let folder = from; ; folder = dirname(folder)) {
      const file = join(folder, 'samples', 'transcripts.json');
      if (existsSync(file)) {
        return new TranscriptTable(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Transcript>);
      }
      if (folder === dirname(folder)) return new TranscriptTable({});
    }
  }

  get size(): number {
    return Object.keys(this.byDigest).length;
  }

  /** @param scripted a text to hear instead of what is known */
  transcriptOf(audio: UploadedAudio, scripted?: string): Transcript {
    const known = this.byDigest[audio.digest];
    if (known !== undefined && scripted === undefined) return known;
    const seconds = audio.durationSeconds;
    const text =
      scripted ??
      `This transcript is emulated: no model listened to these ${seconds.toFixed(1)} seconds of audio.`;
    return {
      language: audio.fields['language'] || known?.language || 'en',
      duration_seconds: seconds,
      segments: segmentsOf(text, seconds),
    };
  }
}

/** One segment per sentence, each as long as its share of the text. */
function segmentsOf(text: string, durationSeconds: number): Segment[] {
  const sentences = text.match(/[^.!?\n]+[.!?]*\s*/g) ?? [text];
  let passed = 0;
  const secondsAt = (chars: number): number =>
    Math.round((chars / text.length) * durationSeconds * 1000) / 1000;
  return sentences.map((sentence) => {
    const start = secondsAt(passed);
    passed += sentence.length;
    return { start, end: secondsAt(passed), speaker: null, text: sentence.trim() };
  });
}
