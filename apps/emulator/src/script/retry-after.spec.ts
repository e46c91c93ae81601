import { httpDate, retryAfterHeaders } from './retry-after';

describe('retryAfterHeaders', () => {
  const now = new Date('2026-11-07T08:49:37.900Z');

  it('says seconds, fractions and nonsense as they are given', () => {
    expect(retryAfterHeaders([2, 2.5, -1, 'soon'], now)).toEqual({
      'Retry-After': ['2', '2.5', '-1', 'soon'],
    });
  });

  it('says milliseconds in the header of their own', () => {
    expect(retryAfterHeaders([{ ms: 1500 }, 9], now)).toEqual({
      'retry-after-ms': ['1500'],
      'Retry-After': ['9'],
    });
  });

  it('counts a date from the whole second that the Date header shows', () => {
    expect(retryAfterHeaders({ date_in_seconds: 5 }, now)).toEqual({
      'Retry-After': ['Sat, 07 Nov 2026 08:49:42 GMT'],
    });
  });

  it('writes the three forms of a date', () => {
    const date = new Date('1994-11-06T08:49:37Z');
    expect(httpDate(date)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
    expect(httpDate(date, 'rfc850')).toBe('Sunday, 06-Nov-94 08:49:37 GMT');
    expect(httpDate(date, 'asctime')).toBe('Sun Nov  6 08:49:37 1994');
  });
});
