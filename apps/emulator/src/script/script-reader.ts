import { validateHeaderName, validateHeaderValue } from 'node:http';
import { ERROR_NAMES } from '../dialects/provider-error';
import { isRecord, type JsonRecord } from '../dialects/request-fields';
import * as check from './field-check';
import { DATE_FORMS } from './retry-after';
import { BadScriptError, type Script } from './script';

const DAY_MS = 86_400_000;
const MOST = 1_000_000_000;
const DIALECTS = ['whisperx', 'ollama', 'llamacpp', 'openai', 'anthropic'];

const count = check.whole(1, MOST);
const counts = check.either(
  'must be a whole number from 1, or a list of them',
  count,
  check.listOf(count, 1_000),
);

const match = check.fields({
  kind: check.oneOf(['asr', 'llm', 'info']),
  dialect: check.oneOf(DIALECTS),
  path: check.text(200),
  mark: check.text(80),
  prompt_includes: check.text(10_000),
  send: counts,
  nth: counts,
  every: count,
  from: count,
  until: count,
  times: count,
});

const retryAfter = check.either(
  'must be a number, a header text, {"ms"}, or {"date_in_seconds", "form"?}',
  check.number,
  headerText,
  check.fields({ ms: check.number }, ['ms']),
  check.fields({ date_in_seconds: check.number, form: check.oneOf(DATE_FORMS) }, ['date_in_seconds']),
);

const action = check.fields({
  delay_ms: check.whole(0, DAY_MS),
  hold: check.boolean,
  before_body: check.boolean,
  status: check.whole(200, 599),
  headers,
  retry_after: check.either(
    'must be a number, a header text, {"ms"}, {"date_in_seconds", "form"?}, or a list of these',
    retryAfter,
    check.listOf(retryAfter, 10),
  ),
  date_skew_ms: check.whole(-365 * DAY_MS, 365 * DAY_MS),
  error: check.oneOf(ERROR_NAMES),
  message: check.text(10_000),
  body: check.anything,
  no_result: check.oneOf(['empty', 'html', 'truncated', 'error_body']),
  stream_error: check.oneOf(ERROR_NAMES),
  after_frames: check.whole(0, 1_000),
  text: check.text(2_000_000),
  usage: check.boolean,
  trickle: check.fields({ bytes: check.whole(1, 1_000_000), every_ms: check.whole(0, DAY_MS) }, [
    'bytes',
    'every_ms',
  ]),
  cut: check.oneOf(['before_headers', 'mid_body']),
  hang: check.oneOf(['before_headers', 'mid_body']),
  ignore_close: check.boolean,
});

const script = check.fields({ rules: check.listOf(check.fields({ match, action }, ['action']), 1_000) }, [
  'rules',
]);

/** Of each group one at most: they are different answers, or different ends. */
const EXCLUSIVE = [
  ['error', 'body', 'no_result', 'stream_error', 'text'],
  ['cut', 'hang'],
  ['delay_ms', 'hold'],
];

/**
 * Reads a script that came over HTTP.
 *
 * @throws BadScriptError naming every fault and its place
 */
export function readScript(value: unknown): Script {
  const problems = script(value).map(({ at, problem }) => ({
    at: at.replace(/^\./, '') || 'script',
    problem,
  }));
  if (problems.length === 0) problems.push(...contradictions(value as ScriptOnTheWire));
  if (problems.length > 0) throw new BadScriptError(problems.slice(0, 50));
  const { rules } = value as ScriptOnTheWire;
  return { rules: rules.map((rule) => ({ match: rule.match ?? {}, action: rule.action })) };
}

interface ScriptOnTheWire {
  readonly rules: readonly { readonly match?: JsonRecord; readonly action: JsonRecord }[];
}

function contradictions({ rules }: ScriptOnTheWire): { at: string; problem: string }[] {
  return rules.flatMap(({ match: when = {}, action: what }, index) => {
    const at = `rules[${index}]`;
    const found = EXCLUSIVE.map((group) => group.filter((name) => name in what))
      .filter((names) => names.length > 1)
      .map((names) => ({ at: `${at}.action`, problem: `has only one of ${names.join(', ')}` }));
    const inBody = ['mark', 'prompt_includes', 'send'].filter((name) => name in when);
    if (what['before_body'] === true && inBody.length > 0) {
      found.push({ at: `${at}.match`, problem: `cannot know ${inBody.join(', ')} before the body` });
    }
    if (
      what['before_body'] === true &&
      !['error', 'status', 'body', 'cut', 'hang'].some((name) => name in what)
    ) {
      found.push({ at: `${at}.action`, problem: 'needs error, status, body, cut or hang with before_body' });
    }
    if ('message' in what && !('error' in what) && !('stream_error' in what)) {
      found.push({ at: `${at}.action.message`, problem: 'goes with error or stream_error' });
    }
    return found;
  });
}

function headers(value: unknown): { at: string; problem: string }[] {
  if (!isRecord(value)) return [{ at: '', problem: 'must be an object' }];
  return Object.entries(value).flatMap(([name, field]) => {
    try {
      validateHeaderName(name);
    } catch {
      return [{ at: `.${name}`, problem: 'is no header name' }];
    }
    if (/^(transfer-encoding|connection|trailer|upgrade)$/i.test(name)) {
      return [{ at: `.${name}`, problem: 'is set by the server itself' }];
    }
    return (Array.isArray(field) ? field : [field])
      .flatMap((item: unknown) => headerText(item))
      .map(({ problem }) => ({ at: `.${name}`, problem }));
  });
}

function headerText(value: unknown): { at: string; problem: string }[] {
  try {
    if (typeof value !== 'string') throw new TypeError('no text');
    validateHeaderValue('x', value);
    return [];
  } catch {
    return [{ at: '', problem: 'must be a text that fits a header' }];
  }
}
