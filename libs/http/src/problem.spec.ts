import { AppError } from '@app/kernel';
import { problemCodes, problemOf, retryAfterSeconds, statusOfCode, titleOfCode } from './problem';

/** The contract: a code may be added, never renamed, and its status never changes. */
const CONTRACT: Readonly<Record<number, string[]>> = {
  401: ['unauthorized'],
  403: ['forbidden'],
  404: ['not_found'],
  409: ['conflict'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  422: ['validation_failed'],
  429: ['too_many_requests'],
  500: ['internal_error'],
  502: [
    'provider_quota_exhausted',
    'provider_rejected',
    'provider_failed',
    'provider_unreachable',
    'worker_lost',
  ],
  503: [
    'provider_busy',
    'provider_rate_limited',
    'provider_overloaded',
    'queue_unavailable',
    'service_unavailable',
    'capacity_exhausted',
  ],
  504: ['provider_timeout', 'preview_deadline_exceeded', 'task_expired'],
};

class Unlisted extends AppError {
  readonly code = 'something_of_ours';
  readonly retryable = false;

  override facts() {
    return { secret: 'SECRET' };
  }
}

describe('problem documents', () => {
  it.each(
    Object.entries(CONTRACT).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)] as const),
    ),
  )('%s answers %i and has words of its own', (code, status) => {
    expect(statusOfCode(code)).toBe(status);
    expect(titleOfCode(code)).not.toBe(code);
  });

  it('know no code beyond the contract', () => {
    expect(problemCodes().sort()).toEqual(Object.values(CONTRACT).flat().sort());
  });

  it('tell nothing of an error whose code nobody listed', () => {
    const problem = problemOf(new Unlisted('SECRET'), 'request-1');
    expect(problem).toMatchObject({ status: 500, code: 'internal_error', request_id: 'request-1' });
    expect(JSON.stringify(problem)).not.toContain('SECRET');
  });

  it.each([
    [503, { retryAfterMs: 1_200 }, 2],
    [503, {}, 5],
    [429, { retryAfterMs: 0 }, 1],
    [429, { retryAfterMs: Number.NaN }, 5],
    [502, { retryAfterMs: 1_000 }, undefined],
  ])('say after %i with %j to try again in %s s', (status, error, seconds) => {
    expect(retryAfterSeconds(status, error)).toBe(seconds);
  });
});
