import type { ProcessingWait } from '../api/client';
import { wordQueueNote } from './queue-note';

const NOW = Date.parse('2026-12-01T20:00:00Z');

function note(wait: Partial<ProcessingWait>): string {
  return wordQueueNote({ kind: 'asr', position: 0, estimated_seconds: null, since: '', ...wait }, NOW).place;
}

describe('the note of a session that waits', () => {
  it('says place and minutes as the issue words them', () => {
    expect(note({ position: 3, estimated_seconds: 720 })).toBe('Queued behind 3, about 12 minutes');
    expect(note({ position: 0, estimated_seconds: 240 })).toBe('Next in line, about 4 minutes');
  });

  it('names no minutes before there is history', () => {
    expect(note({ position: 3 })).toBe('Queued behind 3');
    expect(note({ position: 0 })).toBe('Next in line');
  });

  it.each([
    [-30, 'less than a minute'],
    [0, 'less than a minute'],
    [44, 'less than a minute'],
    [45, 'about 1 minute'],
    [89, 'about 1 minute'],
    [91, 'about 2 minutes'],
    [3_540, 'about 59 minutes'],
    [5_400, 'about 1½ hours'],
    [7_200, 'about 2 hours'],
  ])('rounds %d seconds to "%s"', (seconds, words) => {
    expect(note({ estimated_seconds: seconds })).toBe(`Next in line, ${words}`);
  });

  it('never shows a number of seconds, a sign or a fraction, whatever the estimate', () => {
    for (let seconds = -100; seconds < 20_000; seconds += 7) {
      expect(note({ position: 2, estimated_seconds: seconds + 0.5 })).not.toMatch(
        /second|-|\d\.\d|NaN|undefined/,
      );
    }
    expect(note({ estimated_seconds: Number.NaN })).toBe('Next in line');
  });

  it('says when a provider asked for a pause, and no longer once it is over', () => {
    const wait = { kind: 'asr', position: 1, estimated_seconds: null, since: '' } as const;
    const until = (ms: number) => new Date(NOW + ms).toISOString();
    expect(wordQueueNote({ ...wait, paused_until: until(120_000) }, NOW).pause).toMatch(
      /^The transcription service asked us to pause for about 2 minutes/,
    );
    expect(wordQueueNote({ ...wait, paused_until: until(-1) }, NOW).pause).toBeUndefined();
    expect(wordQueueNote(wait, NOW).pause).toBeUndefined();
  });
});
