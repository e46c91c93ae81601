import { classifyFailure } from './classify-failure';

const classify = (error: unknown) => classifyFailure(error, Date.UTC(2026, 11, 1));

class SomebodysError extends Error {
  constructor(
    readonly statusCode: number,
    readonly response?: unknown,
  ) {
    super('quota');
  }
}

describe('classifyFailure', () => {
  it.each([
    [400, 'rejected'],
    [401, 'rejected'],
    [402, 'quota_exhausted'],
    [403, 'rejected'],
    [404, 'rejected'],
    [408, 'failed'],
    [413, 'rejected'],
    [422, 'rejected'],
    [429, 'rate_limited'],
    [302, 'rejected'],
    [500, 'failed'],
    [502, 'failed'],
    [503, 'overloaded'],
    [504, 'failed'],
    [529, 'overloaded'],
  ])('takes status %i for %s', (status, what) => {
    expect(classify({ status })).toMatchObject({ what, status });
  });

  it.each([
    ['status', { status: 429 }],
    ['statusCode', new SomebodysError(429)],
    ['status_code', { status_code: 429 }],
    ['response.status', { response: { status: 429 } }],
    ['a cause of a cause', new Error('a', { cause: new Error('b', { cause: { status: 429 } }) })],
  ])('finds a 429 in %s, whoever built the error', (_where, error) => {
    expect(classify(error).what).toBe('rate_limited');
  });

  it.each([
    ['error.code', { error: { code: 'insufficient_quota' } }],
    ['error.type', { error: { type: 'insufficient_quota' } }],
    ['code', { code: 'INSUFFICIENT_QUOTA' }],
    ['a nested error', { error: { error: { code: 'billing_hard_limit_reached' } } }],
  ])('takes a 429 whose body says so in %s for an exhausted quota', (_where, body) => {
    expect(classify({ status: 429, headers: { 'retry-after': '2' }, body }).what).toBe('quota_exhausted');
  });

  it('takes a 429 with "quota" in its prose for a rate limit', () => {
    const error = {
      status: 429,
      headers: { 'Retry-After': '2' },
      body: { error: { message: 'quota: insufficient_quota' } },
    };
    expect(classify(error)).toEqual({ what: 'rate_limited', status: 429, retryAfterMs: 2_000 });
  });

  it.each([
    ['Headers', new Headers({ 'retry-after': '3' })],
    ['a record', { 'Retry-After': '3' }],
    ['a record of lists', { 'retry-after': ['2', '3'] }],
    ['a record of numbers', { 'retry-after': 3 }],
  ])('reads Retry-After from %s', (_what, headers) => {
    expect(classify({ status: 429, headers }).retryAfterMs).toBe(3_000);
  });

  it('takes an overload reported inside a success for an overload', () => {
    expect(classify({ body: { type: 'error', error: { type: 'overloaded_error' } } }).what).toBe(
      'overloaded',
    );
  });

  it('takes a refusal that a gateway puts inside a success for a refusal', () => {
    expect(classify({ body: { error: { code: 429, message: 'slow down' } } })).toEqual({
      what: 'rate_limited',
    });
  });

  it('takes any other error inside a success for a failure', () => {
    expect(classify({ body: { error: { type: 'api_error', message: '429' } } })).toEqual({ what: 'failed' });
  });

  it.each([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable'],
    ['ECONNRESET', 'failed'],
    ['UND_ERR_SOCKET', 'failed'],
  ])('takes the network code %s for %s', (code, what) => {
    expect(classify(new TypeError('fetch failed', { cause: { code } }))).toEqual({ what, networkCode: code });
  });

  it('passes on no code that the other side may have written', () => {
    expect(classify({ code: 'SECRET3', body: { error: { code: 'SECRET3' } } })).toEqual({ what: 'failed' });
  });

  it.each([[undefined], [null], ['429'], [new Error('429 Too Many Requests')], [{ status: '429' }]])(
    'never decides by prose: %p is a failure',
    (error) => {
      expect(classify(error)).toEqual({ what: 'failed' });
    },
  );
});
