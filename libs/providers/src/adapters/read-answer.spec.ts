import { NoResultError } from '../wire/upstream-answer-error';
import { readTranscript } from './read-answer';

describe('readTranscript', () => {
  it('reads segments with their speakers', () => {
    const segments = [
      { start: 0, end: 1.5, text: ' Roll for it. ', speaker: 'A' },
      { start: 1.5, end: 2, text: 'Nine.' },
    ];
    expect(readTranscript({ language: 'en', duration: 2, text: 'x', segments })).toEqual({
      language: 'en',
      durationSeconds: 2,
      segments: [
        { start: 0, end: 1.5, speaker: 'A', text: 'Roll for it.' },
        { start: 1.5, end: 2, speaker: null, text: 'Nine.' },
      ],
    });
  });

  it('keeps the order of segments that could not be placed in time', () => {
    const segments = [
      { start: 0, end: 4, text: 'a' },
      { start: null, text: 'b' },
      { start: 5, end: 1, text: 'c' },
    ];
    expect(readTranscript({ segments }).segments.map(({ start, end }) => [start, end])).toEqual([
      [0, 4],
      [4, 4],
      [5, 5],
    ]);
  });

  it('makes one segment of a bare text, with the duration from wherever it is told', () => {
    expect(readTranscript({ text: 'Hello.', usage: { type: 'duration', seconds: 3 } })).toEqual({
      language: null,
      durationSeconds: 3,
      segments: [{ start: 0, end: 3, speaker: null, text: 'Hello.' }],
    });
  });

  it.each([[{ text: '', segments: [] }], [{ text: '' }]])('takes silence for a result: %p', (answer) => {
    expect(readTranscript(answer).segments).toEqual([]);
  });

  it.each([
    [''],
    ['<html>'],
    [null],
    [[]],
    [{}],
    [{ detail: 'x' }],
    [{ error: 'x', text: 'y' }],
    [{ segments: [7] }],
    [{ segments: [{}] }],
  ])('finds no result in %p', (answer) => {
    expect(() => readTranscript(answer)).toThrow(NoResultError);
  });
});
