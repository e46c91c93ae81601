import { PausePolicy } from './pause-policy';

const SETTINGS = { requeueMinMs: 20_000, requeueMaxMs: 40_000, retryAfterMaxMs: 600_000 };

const low = new PausePolicy(SETTINGS, () => 0);
const high = new PausePolicy(SETTINGS, () => 0.999_999);

describe('PausePolicy', () => {
  it('never comes back before the time that was named, and at most a tenth later', () => {
    expect(low.afterRefusal('asr', 5_000, 0)).toBe(5_000);
    expect(high.afterRefusal('llm', 5_000, 0)).toBe(5_500);
  });

  it('clamps what a provider asks for, before the jitter', () => {
    expect(low.afterRefusal('asr', 3_600_000, 0)).toBe(600_000);
    expect(high.afterRefusal('asr', 3_600_000, 0)).toBe(660_000);
  });

  it('keeps an ASR without a time away for a jittered countdown', () => {
    expect(low.afterRefusal('asr', undefined, 7)).toBe(20_000);
    expect(high.afterRefusal('asr', undefined, 7)).toBe(40_000);
  });

  it('doubles the pause of an LLM without a time up to 30 s', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 9].map((earlier) => low.afterRefusal('llm', undefined, earlier));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(high.afterRefusal('llm', undefined, 0)).toBe(900);
  });
});
