import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { Metrics } from '@app/observability';
import { AppConfig } from '@app/config';
import { RequestScope } from '@app/request-scope';
import { composeProviders } from '../../libs/providers/src/compose-providers';
import { FakeSlots } from '../../libs/providers/src/testing/fake-slots';
import { type Answer, json, RawServer } from '../../libs/providers/src/testing/raw-server';
import { DIALECTS, type Dialect } from './provider-world';

const SECRETS = /SECRET1|SECRET2|SECRET3|c2VjcmV0|user:/;

/** One process whose address, key and upstream are full of secrets; `said` is all that it ever shows. */
async function leak(dialect: Dialect, address: string, more: Partial<AppConfig> = {}) {
  const said: string[] = [];
  const log = jest
    .spyOn(Logger.prototype, 'warn')
    .mockImplementation((line: unknown) => void said.push(String(line)));
  const printed = (['log', 'warn', 'error', 'info', 'debug'] as const).map((level) =>
    jest.spyOn(console, level).mockImplementation((...words: unknown[]) => void said.push(inspect(words))),
  );
  const kind = dialect.kind.toUpperCase();
  const config = Object.assign(new AppConfig(), {
    QB_ASR_PROVIDER: 'stub',
    QB_LLM_PROVIDER: 'stub',
    [`QB_${kind}_PROVIDER`]: dialect.provider,
    [`QB_${kind}_BASE_URL`]: `http://user:SECRET1@${address}/?key=SECRET2`,
    [`QB_${kind}_API_KEY`]: 'SECRET3',
    QB_ASR_TIMEOUT_MS: 20_000,
    QB_LLM_TIMEOUT_MS: 20_000,
    ...more,
  });
  const requestScope = new RequestScope();
  const slots = new FakeSlots(requestScope);
  const metrics = new Metrics();
  const parts = composeProviders({ config, slots: slots.asSlots(), requestScope, metrics });
  const place = { placeId: 'p', group: 'g' };
  const audio = {
    path: __filename,
    filename: 'a.wav',
    contentType: 'audio/wav',
    bytes: 9,
    durationSeconds: 1,
  };
  const error: unknown = await requestScope
    .run({ kind: 'http', requestId: 'r' }, async () =>
      dialect.kind === 'asr'
        ? parts.dispatch.transcribe({ audio, place })
        : parts.dispatch.dispatchProse({ use: 'llm', prompt: 'p', place }),
    )
    .catch((thrown: unknown) => thrown);
  await parts.advertised.refresh();
  for (const spy of [log, ...printed]) spy.mockRestore();
  said.push(
    inspect(error, { depth: 12, showHidden: true }),
    JSON.stringify(error),
    String((error as Error).stack),
  );
  said.push(inspect((error as { facts?: () => unknown }).facts?.()), inspect(slots.requests, { depth: 12 }));
  said.push(
    inspect(parts.endpoints.all(), { depth: 12, showHidden: true }),
    await metrics.registry.metrics(),
  );
  return { error: error as { code: string }, said: said.join('\n') };
}

/** Towards calls alone: the server says at once that it advertises nothing. */
const silence: Answer = (request, response) => {
  if (request.method === 'GET') response.writeHead(404).end();
};

const ECHO = {
  error: { message: 'key SECRET3 is wrong', code: 'SECRET3', type: 'SECRET3', param: 'SECRET1' },
};

/** Where a server was listening a moment ago. */
async function unusedAddress(): Promise<string> {
  const server = await RawServer.start(() => undefined);
  const { host } = server;
  await server.stop();
  return host;
}

describe.each(DIALECTS)('$kind through $provider lets no secret out', (dialect) => {
  let server: RawServer;

  beforeAll(async () => {
    server = await RawServer.start(json(401, ECHO));
  });
  afterAll(() => server.stop());

  it.each<[string, string, Answer]>([
    ['a 401 that echoes the key', 'provider_rejected', json(401, ECHO)],
    [
      'a 429 with a body',
      'provider_rate_limited',
      json(429, ECHO, { 'retry-after': '1', 'x-key': 'SECRET3' }),
    ],
    ['a 500 in plain text', 'provider_failed', (_q, response) => response.writeHead(500).end('SECRET3')],
    ['a 200 that is an error', 'provider_failed', json(200, ECHO)],
    ['a 200 that is HTML', 'provider_failed', (_q, response) => response.writeHead(200).end('<p>SECRET3')],
    [
      'a redirect',
      'provider_rejected',
      (_q, response) => response.writeHead(302, { location: 'http://x/?SECRET3' }).end(),
    ],
    ['a reset', 'provider_failed', (request) => void request.socket.destroy()],
    ['silence', 'provider_timeout', silence],
  ])('after %s', async (_what, code, answer) => {
    server.answerWith(answer);
    const timeoutMs = answer === silence ? 200 : 20_000;
    const timeouts = { QB_ASR_TIMEOUT_MS: timeoutMs, QB_LLM_TIMEOUT_MS: timeoutMs };
    const { error, said } = await leak(dialect, server.host, timeouts);
    expect(error.code).toBe(code);
    expect(said).not.toMatch(SECRETS);
  });

  it.each([
    ['no server', unusedAddress],
    ['no such name', () => Promise.resolve('no-such-host.invalid:80')],
  ])('when there is %s', async (_what, addressOf) => {
    const address = await addressOf();
    const { error, said } = await leak(dialect, address);
    expect(error.code).toBe('provider_unreachable');
    expect(said).not.toMatch(SECRETS);
  });

  it('yet sends each where it belongs', async () => {
    server.requests.length = 0;
    server.answerWith(json(401, ECHO));
    await leak(dialect, server.host);
    const [call] = server.requests.filter(({ method }) => method === 'POST');
    expect(call?.url).toMatch(/\?key=SECRET2$/);
    expect([call?.headers.authorization, call?.headers['x-api-key']].join()).toContain('SECRET3');
  });

  it("and sends the URL's credentials where there is no key", async () => {
    server.requests.length = 0;
    const key = `QB_${dialect.kind.toUpperCase()}_API_KEY`;
    await leak(dialect, server.host, { [key]: undefined });
    const [call] = server.requests.filter(({ method }) => method === 'POST');
    expect(call?.headers.authorization).toBe(`Basic ${Buffer.from('user:SECRET1').toString('base64')}`);
  });
});
