import { AppConfig } from '@app/config';
import { ProviderEndpoints } from './provider-endpoints';

function endpoints(given: Partial<AppConfig> = {}): ProviderEndpoints {
  return new ProviderEndpoints(
    Object.assign(
      new AppConfig(),
      { QB_ASR_BASE_URL: 'http://gpu:9000', QB_LLM_BASE_URL: 'http://llm:1' },
      given,
    ),
  );
}

describe('ProviderEndpoints', () => {
  it.each([
    ['whisperx', 1, 'declared'],
    ['openai', null, 'none'],
    ['stub', null, 'none'],
  ] as const)('declares %s ASR as %p', (provider, limit, limitSource) => {
    const subject = endpoints({ QB_ASR_PROVIDER: provider });
    expect(subject.limitOf(subject.asr)).toEqual({ limit, limitSource });
  });

  it.each([
    ['ollama', 1, 'declared'],
    ['llamacpp', 2, 'declared'],
    ['openai', null, 'none'],
    ['anthropic', null, 'none'],
  ] as const)('declares %s LLM as %p', (provider, limit, limitSource) => {
    const subject = endpoints({ QB_LLM_PROVIDER: provider });
    expect(subject.limitOf(subject.llm)).toEqual({ limit, limitSource });
  });

  it('believes the server before the adapter, and the environment before the server, in both directions', () => {
    const subject = endpoints({ QB_LLM_PROVIDER: 'llamacpp' });
    subject.setAdvertised(subject.llm, 8);
    expect(subject.limitOf(subject.llm)).toEqual({ limit: 8, limitSource: 'advertised' });
    subject.setAdvertised(subject.llm, 1);
    expect(subject.limitOf(subject.llm)).toEqual({ limit: 1, limitSource: 'advertised' });
    for (const limit of [4, 32]) {
      const set = endpoints({ QB_LLM_PROVIDER: 'llamacpp', QB_LLM_CONCURRENCY_LIMIT: limit });
      set.setAdvertised(set.llm, 8);
      expect(set.limitOf(set.llm)).toEqual({ limit, limitSource: 'environment' });
    }
  });

  it('takes 0 and nothing for unset, and forgets what is no longer advertised', () => {
    const subject = endpoints({ QB_ASR_CONCURRENCY_LIMIT: 0 });
    subject.setAdvertised(subject.asr, 3);
    expect(subject.limitOf(subject.asr)).toEqual({ limit: 3, limitSource: 'advertised' });
    subject.setAdvertised(subject.asr, null);
    expect(subject.limitOf(subject.asr)).toEqual({ limit: 1, limitSource: 'declared' });
  });

  it('lists each box once', () => {
    const shared = endpoints({ QB_GENERATION_LLM_BASE_URL: 'HTTP://LLM:1/v1/' });
    expect(shared.all().map(({ capName }) => capName)).toEqual(['asr:whisperx:gpu:9000', 'llm:ollama:llm:1']);
    const apart = endpoints({ QB_GENERATION_LLM_BASE_URL: 'http://other:1' });
    expect(apart.all().map(({ capName }) => capName)).toEqual([
      'asr:whisperx:gpu:9000',
      'llm:ollama:llm:1',
      'llm:ollama:other:1',
    ]);
  });

  it('gives one box one limit, whichever of its two variables is set', () => {
    const subject = endpoints({ QB_GENERATION_LLM_CONCURRENCY_LIMIT: 5 });
    expect(subject.limitOf(subject.llm)).toEqual(subject.limitOf(subject.generation));
    const both = endpoints({ QB_GENERATION_LLM_CONCURRENCY_LIMIT: 5, QB_LLM_CONCURRENCY_LIMIT: 3 });
    expect(both.limitOf(both.generation).limit).toBe(3);
  });

  it('keeps the limits of two boxes apart', () => {
    const subject = endpoints({ QB_GENERATION_LLM_BASE_URL: 'http://other:1', QB_LLM_CONCURRENCY_LIMIT: 3 });
    expect(subject.limitOf(subject.generation)).toEqual({ limit: 1, limitSource: 'declared' });
  });

  it("never sends the LLM's key to another box", () => {
    const llm = { QB_LLM_API_KEY: 'k', QB_LLM_MODEL: 'm' };
    expect(endpoints(llm).generation.credentials().apiKey).toBe('k');
    expect(endpoints(llm).generation.model).toBe('m');
    const other = endpoints({ ...llm, QB_GENERATION_LLM_BASE_URL: 'http://other:1' });
    expect(other.generation.credentials().apiKey).toBeUndefined();
  });
});
