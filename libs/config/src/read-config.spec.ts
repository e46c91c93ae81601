import { BadEnvironmentError, readConfig, unknownVariables } from '@app/config';

const FULL = {
  DATABASE_URL: 'postgres://u:p@db:5432/q',
  REDIS_URL: 'redis://cache:6379',
  QB_ADMIN_API_KEY: 'a-long-enough-admin-key',
  QB_ASR_BASE_URL: 'http://gpu:9000',
  QB_LLM_BASE_URL: 'http://gpu:11434',
};

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof BadEnvironmentError) return error.problems;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  it('is not needed at all by standalone', () => {
    const config = readConfig('standalone', {});
    expect(config).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      QB_REQUEUE_MIN_MS: 20_000,
      QB_WORKER_CONCURRENCY: 64,
    });
  });

  it('names every problem at once', () => {
    const problems = problemsOf(() =>
      readConfig('api', {
        ...FULL,
        PORT: 'x',
        QB_SLOT_ORDER: 'lifo',
        REDIS_URL: 'http://cache',
        QB_SLOT_LEASE_MS: '10',
      }),
    );
    expect(problems.join('\n')).toMatch(/PORT[\s\S]*REDIS_URL[\s\S]*QB_SLOT_LEASE_MS[\s\S]*QB_SLOT_ORDER/);
  });

  it('never repeats a value in a message', () => {
    const problems = problemsOf(() =>
      readConfig('api', { ...FULL, DATABASE_URL: 'mysql://u:SECRET@db', QB_ADMIN_API_KEY: 'SECRET' }),
    );
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('SECRET');
  });

  it('must name the stores, the key and the providers apart from standalone', () => {
    const problems = problemsOf(() => readConfig('worker', {}));
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'QB_ADMIN_API_KEY',
      'QB_ASR_BASE_URL',
      'QB_LLM_BASE_URL',
    ]);
  });

  it.each(['0', '', ' '])('takes a concurrency limit of "%s" for unset', (value) => {
    expect(
      readConfig('api', { ...FULL, QB_ASR_CONCURRENCY_LIMIT: value }).QB_ASR_CONCURRENCY_LIMIT,
    ).toBeUndefined();
  });

  it.each(['1.5', '-1', 'two'])('refuses a concurrency limit of "%s"', (value) => {
    expect(
      problemsOf(() => readConfig('api', { ...FULL, QB_ASR_CONCURRENCY_LIMIT: value })).join(),
    ).toContain('QB_ASR_CONCURRENCY_LIMIT');
  });

  it('refuses a generation lease that does not exceed the hard limit, naming both', () => {
    const problems = problemsOf(() => readConfig('api', { ...FULL, QB_GENERATION_LEASE_MS: '600000' }));
    expect(problems.join()).toMatch(/QB_GENERATION_LEASE_MS.*QB_GENERATION_HARD_LIMIT_MS/);
  });

  it('gives a parked job at least as many tries as the longest call lasts', () => {
    expect(readConfig('standalone', {}).requeueBudget).toBe(720);
    expect(
      readConfig('standalone', { QB_ASR_TIMEOUT_MS: '60000', QB_LLM_TIMEOUT_MS: '60000' }).requeueBudget,
    ).toBe(240);
    expect(readConfig('standalone', { QB_REQUEUE_BUDGET: '5' }).requeueBudget).toBe(5);
  });

  it('points at misspelt variables', () => {
    expect(unknownVariables({ QB_ASR_CONCURENCY_LIMIT: '2', PATH: '/bin' })).toEqual([
      'QB_ASR_CONCURENCY_LIMIT',
    ]);
  });
});
