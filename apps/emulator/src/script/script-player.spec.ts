import { ScriptPlayer } from './script-player';
import { readScript } from './script-reader';

function setup(...rules: object[]) {
  const player = new ScriptPlayer();
  player.put(readScript({ rules }));
  /** Numbers of the rules that answer `times` equal calls. */
  const play = (times: number, facts: object = {}): (number | null)[] =>
    Array.from({ length: times }, () => {
      const call = { kind: 'llm' as const, dialects: ['openai', 'llamacpp'], path: '/x', ...facts };
      return player.cueAfterBody(call)?.number ?? null;
    });
  return { player, play };
}

const action = { status: 429 };

describe('ScriptPlayer', () => {
  it('acts on every third, on the n-th, on a range, and so many times', () => {
    expect(setup({ match: { every: 3 }, action }).play(7)).toEqual([null, null, 1, null, null, 1, null]);
    expect(setup({ match: { every: 2, from: 3 }, action }).play(6)).toEqual([null, null, null, 1, null, 1]);
    expect(setup({ match: { nth: [1, 4] }, action }).play(5)).toEqual([1, null, null, 1, null]);
    expect(setup({ match: { from: 2, until: 3 }, action }).play(5)).toEqual([null, 1, 1, null, null]);
    expect(setup({ match: { times: 2 }, action }).play(4)).toEqual([1, 1, null, null]);
    expect(setup({ match: { every: 2, times: 1 }, action }).play(5)).toEqual([null, 1, null, null, null]);
  });

  it('lets the first rule that fits answer, while later ones count on', () => {
    const { player, play } = setup({ match: { nth: 2 }, action }, { match: { every: 2 }, action });
    expect(play(4)).toEqual([null, 1, null, 2]);
    expect(player.snapshot().rules.map(({ met, acted }) => ({ met, acted }))).toEqual([
      { met: 4, acted: 1 },
      { met: 4, acted: 1 },
    ]);
  });

  it('counts the sends of each call apart', () => {
    const { play } = setup({ match: { send: [1, 2] }, action });
    expect(play(3, { digest: 'a' })).toEqual([1, 1, null]);
    expect(play(3, { digest: 'b' })).toEqual([1, 1, null]);
  });

  it('matches kind, dialect, path, mark and prompt', () => {
    const answers = (match: object, facts: object): boolean =>
      setup({ match, action }).play(1, facts)[0] === 1;
    expect(answers({ kind: 'asr' }, { kind: 'llm' })).toBe(false);
    expect(answers({ kind: 'asr' }, { kind: 'asr' })).toBe(true);
    expect(answers({ dialect: 'llamacpp' }, {})).toBe(true);
    expect(answers({ dialect: 'ollama' }, {})).toBe(false);
    expect(answers({ mark: 'team:x' }, { prompt: 'a [team:x] b' })).toBe(true);
    expect(answers({ mark: 'team:x' }, { prompt: 'a [team:xy] b' })).toBe(false);
    expect(answers({ prompt_includes: 'dragon' }, { prompt: 'the dragon' })).toBe(true);
    expect(answers({ prompt_includes: 'dragon' }, {})).toBe(false);
  });

  it('leaves info routes alone unless they are named', () => {
    const info = { kind: 'info', path: '/props' };
    expect(setup({ action }).play(1, info)).toEqual([null]);
    expect(setup({ match: { path: '/props' }, action }).play(1, info)).toEqual([1]);
    expect(setup({ match: { kind: 'info' }, action }).play(1, info)).toEqual([1]);
  });
});
