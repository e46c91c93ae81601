import { readHttpDate, readRetryAfter } from './retry-after';

const NOW = Date.UTC(2026, 11, 1, 12, 0, 0);

function read(headers: Record<string, string>): number | undefined {
  return readRetryAfter((name) => headers[name], NOW);
}

describe('readRetryAfter', () => {
  it.each([
    ['whole seconds', { 'retry-after': '5' }, 5_000],
    ['fractions, rounded up to whole ms', { 'retry-after': '1.2345' }, 1_235],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1_500],
    ['fractions of milliseconds, rounded up', { 'retry-after-ms': '0.2' }, 1],
    ['milliseconds before seconds', { 'retry-after-ms': '700', 'retry-after': '9' }, 700],
    ['seconds when the milliseconds are unusable', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    ['the later of two values', { 'retry-after': '2, 7' }, 7_000],
    ['the later of a number and a date', { 'retry-after': '2, Tue, 01 Dec 2026 12:00:09 GMT' }, 9_000],
    ['the usable one of two values', { 'retry-after': '-1, 3' }, 3_000],
    ['an IMF date', { 'retry-after': 'Tue, 01 Dec 2026 12:00:05 GMT' }, 5_000],
    ['an RFC 850 date', { 'retry-after': 'Tuesday, 01-Dec-26 12:00:05 GMT' }, 5_000],
    ['an asctime date, which means GMT', { 'retry-after': 'Tue Dec  1 12:00:05 2026' }, 5_000],
  ])('reads %s', (_name, headers, expected) => {
    expect(read(headers)).toBe(expected);
  });

  it("measures a date against the answer's own Date, not against our clock", () => {
    const threeMinutesOff = {
      date: 'Tue, 01 Dec 2026 12:03:00 GMT',
      'retry-after': 'Tue, 01 Dec 2026 12:03:05 GMT',
    };
    expect(read(threeMinutesOff)).toBe(5_000);
  });

  it.each([
    ['nothing', {}],
    ['zero, which would be an instant delay', { 'retry-after': '0' }],
    ['a negative number', { 'retry-after': '-5' }],
    ['words', { 'retry-after': 'a little later' }],
    ['an exponent', { 'retry-after': '1e3' }],
    ['an empty value', { 'retry-after': '' }],
    ['a date in the past', { 'retry-after': 'Tue, 01 Dec 2026 11:59:00 GMT' }],
    ['a date without a month', { 'retry-after': 'Tue, 01 Xyz 2026 12:00:05 GMT' }],
  ])('finds no usable pause in %s', (_name, headers) => {
    expect(read(headers as Record<string, string>)).toBeUndefined();
  });
});

describe('readHttpDate', () => {
  it('takes two digits that lie more than 50 years ahead for the last century', () => {
    expect(readHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NOW)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  });
});
