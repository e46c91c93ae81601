import OpenAI from 'openai';
import type { Emulator } from '../emulator';
import type { Action, Match } from '../script/script';
import { chat, CHAT, control, post, RunningEmulators, speech } from './running-emulator';

/** How a call ended for its client: a status and a body, or the code of a broken connection. */
async function endOf(call: Promise<Response>): Promise<{ status?: number; body?: string; broken?: string }> {
  let status;
  try {
    const response = await call;
    status = response.status;
    return { status, body: await response.text() };
  } catch (error) {
    const { code = 'ended' } = ((error as Error).cause ?? {}) as { code?: string };
    return { status, broken: code };
  }
}

describe('the actions of a script', () => {
  const emulators = new RunningEmulators();
  afterEach(() => emulators.stopAll());

  async function scripted(action: Action, match: Match = {}): Promise<Emulator> {
    const emulator = await emulators.start();
    emulator.script([{ match, action }]);
    return emulator;
  }

  it('says each refusal in the dialect that is spoken', async () => {
    const emulator = await emulators.start();
    const ask: Record<string, () => Promise<Response>> = {
      whisperx: () => speech(emulator, Buffer.from('x')),
      openai: () => chat(emulator, 'x'),
      llamacpp: () => post(emulator, `/llamacpp${CHAT}`, { messages: [{ role: 'user', content: 'x' }] }),
      ollama: () => post(emulator, '/api/chat', { model: 'm', messages: [{ role: 'user', content: 'x' }] }),
      anthropic: () =>
        post(emulator, '/v1/messages', {
          model: 'm',
          max_tokens: 9,
          messages: [{ role: 'user', content: 'x' }],
        }),
    };
    const said: Record<string, unknown[]> = {};
    for (const error of ['rate_limited', 'overloaded', 'insufficient_quota'] as const) {
      emulator.script([{ action: { error } }]);
      for (const [dialect, call] of Object.entries(ask)) {
        const response = await call();
        const body = (await response.json()) as {
          detail?: unknown;
          error?: { type?: string; code?: unknown } | string;
        };
        const shape =
          typeof body.error === 'object' ? (body.error.code ?? body.error.type) : (body.error ?? body.detail);
        (said[dialect] ??= []).push([response.status, shape]);
      }
    }
    expect(said).toEqual({
      whisperx: [
        [429, 'Too many requests'],
        [503, 'The server is busy, try again later'],
        [429, 'insufficient_quota'],
      ],
      openai: [
        [429, 'rate_limit_exceeded'],
        [503, 'server_overloaded'],
        [429, 'insufficient_quota'],
      ],
      llamacpp: [
        [429, 429],
        [503, 503],
        [429, 'insufficient_quota'],
      ],
      ollama: [
        [429, 'Too many requests'],
        [503, 'server busy, please try again.  maximum pending requests exceeded'],
        [429, 'insufficient_quota'],
      ],
      anthropic: [
        [429, 'rate_limit_error'],
        [529, 'overloaded_error'],
        [402, 'billing_error'],
      ],
    });
  });

  it('says "loading model" as llama.cpp does, also on the path it shares with OpenAI', async () => {
    const emulator = await scripted({ error: 'loading_model' });
    expect(await endOf(chat(emulator, 'x'))).toEqual({
      status: 503,
      body: '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
    });
    expect(emulator.log().items).toMatchObject([{ dialect: 'llamacpp', status: 503, rule: 1 }]);
  });

  it('turns a bare status into the error it means', async () => {
    const emulator = await scripted({ status: 429 });
    expect(JSON.parse((await endOf(chat(emulator, 'x'))).body ?? '')).toMatchObject({
      error: { code: 'rate_limit_exceeded' },
    });
  });

  it('sends Retry-After in every form, against its own skewed clock', async () => {
    const emulator = await scripted({
      error: 'rate_limited',
      retry_after: [{ date_in_seconds: 5, form: 'rfc850' }, { ms: 250 }],
      date_skew_ms: -180_000,
    });
    const { headers } = await chat(emulator, 'x');
    const date = Date.parse(headers.get('date') ?? '');
    expect(Math.abs(Date.now() - 180_000 - date)).toBeLessThan(3_000);
    expect(Date.parse(headers.get('retry-after') ?? '') - date).toBe(5_000);
    expect(headers.get('retry-after-ms')).toBe('250');
  });

  it('sends headers, bodies and statuses as they are given', async () => {
    const emulator = await scripted({
      status: 418,
      body: { tea: true },
      headers: { 'X-Pot': 'short', 'Content-Type': 'application/tea' },
    });
    const response = await chat(emulator, 'x');
    expect([response.status, response.headers.get('x-pot'), response.headers.get('content-type')]).toEqual([
      418,
      'short',
      'application/tea',
    ]);
    expect(await response.json()).toEqual({ tea: true });
    emulator.script([{ action: { body: 'plain' } }]);
    expect(await endOf(chat(emulator, 'x'))).toEqual({ status: 200, body: 'plain' });
  });

  it('delays, and holds until it is released', async () => {
    const emulator = await scripted({ delay_ms: 120 });
    const began = performance.now();
    await (await chat(emulator, 'x')).text();
    expect(performance.now() - began).toBeGreaterThanOrEqual(118);
  });

  it.each([
    ['empty', (body: string) => body === ''],
    ['html', (body: string) => body.startsWith('<!doctype html>')],
    ['truncated', (body: string) => body.startsWith('{') && !body.endsWith('}')],
    ['error_body', (body: string) => 'error' in (JSON.parse(body) as object)],
  ] as const)('answers 200 with no result: %s', async (kind, isSo) => {
    const emulator = await scripted({ no_result: kind });
    const { status, body = 'none' } = await endOf(chat(emulator, 'x'));
    expect([status, isSo(body)]).toEqual([200, true]);
  });

  it('resets the connection before the headers and in mid-body', async () => {
    const emulator = await scripted({ cut: 'before_headers' });
    expect(await endOf(chat(emulator, 'x'))).toEqual({ broken: 'ECONNRESET' });
    emulator.script([{ action: { cut: 'mid_body' } }]);
    expect(await endOf(chat(emulator, 'x'))).toEqual({ status: 200, broken: 'ECONNRESET' });
    expect(emulator.log().items).toMatchObject([
      { outcome: 'cut', status: null },
      { outcome: 'cut', status: 200 },
    ]);
  });

  it('goes silent before the headers and in mid-body until the client closes', async () => {
    for (const hang of ['before_headers', 'mid_body'] as const) {
      const emulator = await scripted({ hang });
      const call = endOf(chat(emulator, 'x', { signal: AbortSignal.timeout(150) }));
      await emulator.until(({ llm }) => llm.in_flight === 1);
      const { status } = await call;
      expect(status).toBe(hang === 'mid_body' ? 200 : undefined);
      await emulator.until(({ llm }) => llm.in_flight === 0);
      expect(emulator.log().items).toMatchObject([{ outcome: 'closed_early' }]);
    }
  });

  it('trickles the usual answer', async () => {
    const emulator = await scripted({ trickle: { bytes: 100, every_ms: 10 }, text: 'word '.repeat(100) });
    const response = await chat(emulator, 'x');
    expect(response.headers.get('content-length')).toBeNull();
    expect(((await response.json()) as OpenAI.ChatCompletion).choices[0]?.message.content).toHaveLength(500);
  });

  it('puts an error into a stream that began with 200, in each dialect', async () => {
    const emulator = await scripted({ stream_error: 'overloaded' });
    const body = { model: 'm', max_tokens: 99, stream: true, messages: [{ role: 'user', content: 'x' }] };
    const streams: [string, RegExp][] = [
      [CHAT, /^data: \{"id"[^]*data: \{"error":\{"message"[^]*\n\n$/],
      ['/api/chat', /^\{"model"[^]*\n\{"error":"server busy[^]*\n$/],
      [
        '/v1/messages',
        /^event: message_start[^]*event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error"[^]*\n\n$/,
      ],
    ];
    for (const [path, shape] of streams) {
      const { status, body: text } = await endOf(post(emulator, path, body));
      expect([path, status, text]).toEqual([path, 200, expect.stringMatching(shape)]);
    }
    expect(await endOf(chat(emulator, 'no stream'))).toMatchObject({
      status: 200,
      body: expect.stringContaining('server_overloaded') as string,
    });
  });

  it('answers and hears the text it is given, with no usage when told so', async () => {
    const emulator = await scripted({ text: 'Not { json. At all.', usage: false });
    const completion = (await (await chat(emulator, 'x')).json()) as OpenAI.ChatCompletion;
    expect([completion.choices[0]?.message.content, completion.usage]).toEqual([
      'Not { json. At all.',
      undefined,
    ]);
    const heard = (await (await speech(emulator, Buffer.alloc(32_000))).json()) as { segments: object[] };
    expect(heard.segments).toMatchObject([
      { start: 0, text: 'Not { json.' },
      { end: 2, text: 'At all.' },
    ]);
  });

  it('refuses before the body has come, while the upload goes on', async () => {
    const emulator = await scripted({ before_body: true, error: 'rate_limited', retry_after: 1 });
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('--b\r\n')) });
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const response = await fetch(`${emulator.url}/v1/audio/transcriptions`, {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
    await response.body?.cancel();
  });

  it('refuses the first two sends of each call', async () => {
    const emulator = await scripted({ status: 429 }, { send: [1, 2] });
    const statuses = async (prompt: string): Promise<number[]> => [
      (await chat(emulator, prompt)).status,
      (await chat(emulator, prompt)).status,
      (await chat(emulator, prompt)).status,
    ];
    expect(await Promise.all([statuses('one'), statuses('two')])).toEqual([
      [429, 429, 200],
      [429, 429, 200],
    ]);
  });

  it('changes what a request for information says', async () => {
    const emulator = await scripted({ error: 'loading_model' }, { path: '/health' });
    expect((await fetch(`${emulator.url}/health`)).status).toBe(503);
    expect((await fetch(`${emulator.url}/props`)).status).toBe(200);
  });

  it('answers 422 with each fault of a bad script, and keeps the good one', async () => {
    const emulator = await scripted({ status: 429 });
    const bad = await control(emulator, 'PUT', 'script', {
      rules: [{ action: { error: 'sulking' } }, { match: { nth: 0 }, action: {} }],
    });
    expect(bad.status).toBe(422);
    expect(await bad.json()).toMatchObject({
      code: 'validation_failed',
      problems: [{ at: 'rules[0].action.error' }, { at: 'rules[1].match.nth' }],
    });
    expect((await chat(emulator, 'x')).status).toBe(429);
    const good = await control(emulator, 'PUT', 'script', { rules: [] });
    expect([good.status, (await chat(emulator, 'x')).status]).toEqual([200, 200]);
  });

  it('turns its settings while it runs', async () => {
    const emulator = await emulators.start();
    const put = (body: unknown): Promise<Response> => control(emulator, 'PUT', 'settings', body);
    expect(await (await put({ hold_ms: { asr: 5 }, concurrency: 2, when_full: 'refuse' })).json()).toEqual({
      hold_ms: { asr: 5 },
      concurrency: { asr: 2, llm: 2 },
      advertised_concurrency: {},
      when_full: 'refuse',
    });
    expect(await (await put({ concurrency: null })).json()).toMatchObject({ concurrency: {} });
    for (const bad of [{ hold_ms: -1 }, { concurrency: 0 }, { when_full: 'panic' }, { more: 1 }, [], 7]) {
      expect((await put(bad)).status).toBe(422);
    }
  });
});
