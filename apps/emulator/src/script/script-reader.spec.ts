import { BadScriptError } from './script';
import { readScript } from './script-reader';

const problemsOf = (value: unknown): readonly { at: string; problem: string }[] => {
  try {
    readScript(value);
  } catch (error) {
    if (error instanceof BadScriptError) return error.problems;
    throw error;
  }
  return [];
};
const placesOf = (value: unknown): string[] => problemsOf(value).map(({ at }) => at);

describe('readScript', () => {
  it('takes every match and every action', () => {
    const rules = [
      {
        match: { kind: 'asr', dialect: 'whisperx', every: 3, from: 2, until: 9, times: 2 },
        action: { error: 'rate_limited', retry_after: 2 },
      },
      {
        match: { mark: 'team:x', prompt_includes: 'dragon', send: [1, 2], nth: 4 },
        action: { hold: true, ignore_close: true },
      },
      {
        match: { path: '/props' },
        action: { status: 500, headers: { 'X-A': ['1', '2'] }, body: { a: 1 }, delay_ms: 5 },
      },
      {
        action: {
          retry_after: [{ ms: 5 }, { date_in_seconds: 3, form: 'asctime' }, 'x'],
          date_skew_ms: -180_000,
          status: 429,
        },
      },
      { action: { no_result: 'truncated', trickle: { bytes: 1, every_ms: 0 }, usage: false } },
      { action: { stream_error: 'overloaded', after_frames: 1, message: 'm' } },
      { action: { before_body: true, cut: 'before_headers' } },
      { action: { hang: 'mid_body', text: 'words' } },
    ];
    expect(readScript({ rules }).rules).toEqual(rules.map((rule) => ({ match: {}, ...rule })));
  });

  it('names each fault by its place', () => {
    const bad = {
      rules: [
        { match: { kind: 'tts', nth: 0, colour: 'red' }, action: { status: 99, delay_ms: -1 } },
        {
          match: [],
          action: { retry_after: { ms: 'x' }, headers: { 'a b': 'c', ok: 'a\r\nb', Connection: 'close' } },
        },
        { match: {} },
        { action: { trickle: { bytes: 0 }, error: 'sulking', hold: 'yes' } },
      ],
    };
    expect(placesOf(bad)).toEqual([
      'rules[0].match.kind',
      'rules[0].match.nth',
      'rules[0].match.colour',
      'rules[0].action.status',
      'rules[0].action.delay_ms',
      'rules[1].match',
      'rules[1].action.retry_after',
      'rules[1].action.headers.a b',
      'rules[1].action.headers.ok',
      'rules[1].action.headers.Connection',
      'rules[2].action',
      'rules[3].action.trickle.every_ms',
      'rules[3].action.trickle.bytes',
      'rules[3].action.error',
      'rules[3].action.hold',
    ]);
  });

  it('refuses contradictions', () => {
    expect(placesOf({ rules: [{ action: { error: 'overloaded', body: '' } }] })).toEqual(['rules[0].action']);
    expect(placesOf({ rules: [{ action: { cut: 'mid_body', hang: 'mid_body' } }] })).toEqual([
      'rules[0].action',
    ]);
    expect(placesOf({ rules: [{ action: { delay_ms: 1, hold: true } }] })).toEqual(['rules[0].action']);
    expect(
      placesOf({ rules: [{ match: { mark: 'team:x' }, action: { before_body: true, status: 429 } }] }),
    ).toEqual(['rules[0].match']);
    expect(placesOf({ rules: [{ action: { before_body: true, text: 'x' } }] })).toEqual(['rules[0].action']);
    expect(placesOf({ rules: [{ action: { message: 'x' } }] })).toEqual(['rules[0].action.message']);
  });

  it.each([null, 1, 'x', [], {}, { rules: 1 }, { rules: [null] }, { rules: [], more: 1 }])(
    'refuses %j',
    (value) => {
      expect(problemsOf(value).length).toBeGreaterThan(0);
    },
  );
});
