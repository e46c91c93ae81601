import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonAnswer } from './answers/answer';
import { readJsonBody } from './calls/json-body';
import { BadCallError } from './dialects/provider-error';
import { isRecord } from './dialects/request-fields';
import type { EmulatorSettings } from './emulator-settings';
import type { EmulatorStats, FlightEntry } from './flight-recorder';
import { readAdjustment } from './read-adjustment';
import { BadScriptError, type Script } from './script/script';
import { readScript } from './script/script-reader';

/** What can be turned and read from outside; the emulator is it. */
interface Controlled {
  stats(): EmulatorStats;
  log(): { items: FlightEntry[]; dropped: number };
  script(script: Script): void;
  scriptInForce(): unknown;
  adjust(change: Partial<EmulatorSettings>): void;
  settingsInForce(): unknown;
  release(filter: { kind?: string; mark?: string; count?: number }): number;
  reset(): void;
}

type Control = (emulator: Controlled, body: unknown, query: URLSearchParams) => unknown;

/** The emulator's own routes: what tests and people turn and read. They are never counted nor logged. */
const CONTROLS: Readonly<Record<string, Control>> = {
  'GET /emulator/stats': (emulator) => emulator.stats(),
  'GET /emulator/log': (emulator, _body, query) => {
    const { items, dropped } = emulator.log();
    const wanted = items
      .filter((entry) => !query.has('kind') || entry.kind === query.get('kind'))
      .filter((entry) => !query.has('mark') || entry.mark === query.get('mark'));
    const limit = Number(query.get('limit') ?? Infinity);
    return { items: limit > 0 ? wanted.slice(-limit) : [], dropped };
  },
  'GET /emulator/script': (emulator) => emulator.scriptInForce(),
  'PUT /emulator/script': (emulator, body) => {
    // Read here: what arrives over HTTP is of any shape.
    emulator.script(readScript(body));
    return emulator.scriptInForce();
  },
  'PUT /emulator/settings': (emulator, body) => {
    emulator.adjust(readAdjustment(body));
    return emulator.settingsInForce();
  },
  'GET /emulator/settings': (emulator) => emulator.settingsInForce(),
  'POST /emulator/release': (emulator, body) => ({ released: emulator.release(releaseFilter(body)) }),
  'POST /emulator/reset': (emulator) => {
    emulator.reset();
    return emulator.stats();
  },
};

/** Answers a request below `/emulator/`; never rejects. */
export async function answerControl(
  emulator: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  response.on('error', () => undefined);
  const reply = await replyOf(emulator, request, url);
  response.writeHead(reply.status, {
    'Content-Type': reply.status < 400 ? 'application/json' : 'application/problem+json',
  });
  response.end(reply.frames.join(''));
}

async function replyOf(
  emulator: Controlled,
  request: IncomingMessage,
  url: URL,
): Promise<ReturnType<typeof jsonAnswer>> {
  const control = CONTROLS[`${request.method} ${url.pathname}`];
  if (control === undefined) {
    return problem(404, 'not_found', `No such route; there are: ${Object.keys(CONTROLS).join(', ')}`);
  }
  try {
    const body = request.method === 'GET' ? undefined : await readOptionalBody(request);
    return jsonAnswer(200, control(emulator, body, url.searchParams));
  } catch (error) {
    if (error instanceof BadScriptError) {
      return problem(422, 'validation_failed', error.message, { problems: error.problems });
    }
    if (error instanceof BadCallError) return problem(400, 'validation_failed', error.message);
    return problem(500, 'internal_error', String(error));
  }
}

async function readOptionalBody(request: IncomingMessage): Promise<unknown> {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  return hasBody ? (await readJsonBody(request)).value : undefined;
}

function releaseFilter(body: unknown): { kind?: string; mark?: string; count?: number } {
  if (body === undefined) return {};
  const known = isRecord(body) ? Object.entries(body) : [['body', null] as const];
  const problems = known
    .filter(([name, value]) => {
      if (name === 'count') return !(Number.isInteger(value) && Number(value) >= 1);
      return !((name === 'kind' || name === 'mark') && typeof value === 'string');
    })
    .map(([at]) => ({ at, problem: 'is not one of kind, mark (texts) and count (from 1)' }));
  if (problems.length > 0) throw new BadScriptError(problems);
  return body as { kind?: string; mark?: string; count?: number };
}

function problem(
  status: number,
  code: string,
  detail: string,
  facts: object = {},
): ReturnType<typeof jsonAnswer> {
  return jsonAnswer(status, { type: 'about:blank', title: code, status, code, detail, ...facts });
}
