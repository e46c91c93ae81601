import { asrCostMicros, llmCostMicros } from './prices';
import { sumMeters } from './meter';

describe('prices', () => {
  it('are nothing for models that run at home and for what nobody knows', () => {
    for (const provider of ['ollama', 'llamacpp', 'stub', 'nobody']) {
      expect(llmCostMicros(provider, 'any', 1_000_000, 1_000_000)).toBe(0);
    }
    expect(asrCostMicros('whisperx', 'any', 3_600)).toBe(0);
  });

  it('are whole micro-units, rounded up, so that what was consumed never costs nothing', () => {
    expect(llmCostMicros('openai', 'a model of tomorrow', 1, 0)).toBeGreaterThanOrEqual(1);
    expect(asrCostMicros('openai', 'a model of tomorrow', 0.001)).toBeGreaterThanOrEqual(1);
    const [one, many] = [1, 1_000].map((times) => llmCostMicros('openai', 'x', 1_000_000 * times, 0));
    expect(many).toBe(one! * 1_000);
  });

  it('add up over the calls of a run', () => {
    const llm = {
      kind: 'llm',
      provider: 'openai',
      model: 'm',
      inputTokens: 1_000,
      outputTokens: 100,
      calls: 1,
      durationMs: 5,
      estimated: false,
    } as const;
    const asr = { ...llm, kind: 'asr', audioSeconds: 90.5, calls: 1 } as const;
    const sum = sumMeters([asr, llm, { ...llm, estimated: true }]);
    expect(sum).toMatchObject({ audioSeconds: 90.5, inputTokens: 2_000, outputTokens: 200, llmCalls: 2 });
    expect(sum.estimated).toBe(true);
    expect(sum.costMicros).toBe(
      asrCostMicros('openai', 'm', 90.5) + 2 * llmCostMicros('openai', 'm', 1_000, 100),
    );
    expect(sumMeters([])).toMatchObject({ llmCalls: 0, costMicros: 0, model: null, asrProvider: null });
  });
});
