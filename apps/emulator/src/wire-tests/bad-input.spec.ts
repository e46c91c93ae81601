import { connect } from 'node:net';
import type { Emulator } from '../emulator';
import { chat, CHAT, control, post, RunningEmulators, SPEECH } from './running-emulator';

/** Sends bytes as they are and resolves with what came back once the line is closed. */
function raw(emulator: Emulator, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

describe('bad input', () => {
  const emulators = new RunningEmulators();
  afterEach(() => emulators.stopAll());

  async function stillWell(emulator: Emulator): Promise<void> {
    expect((await chat(emulator, 'still there?')).status).toBe(200);
    await emulator.until(({ asr, llm }) => asr.in_flight === 0 && llm.in_flight === 0);
  }

  it.each([
    ['no JSON', '{"model"'],
    ['no object', '[]'],
    ['nothing', ''],
    ['no messages', '{"model":"m"}'],
    ['messages that are none', '{"model":"m","messages":[1]}'],
    ['a content of numbers', '{"model":"m","messages":[{"role":"user","content":7}]}'],
    [
      'a schema that never ends',
      '{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"schema":{"$ref":"#"}}}}',
    ],
    ['a deep body', `{"model":"m","messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('answers a typed 400 to %s, in all chat dialects', async (_name, body) => {
    const emulator = await emulators.start();
    for (const path of [CHAT, `/llamacpp${CHAT}`]) {
      expect((await post(emulator, path, null, { body })).status).toBe(400);
    }
    if (!body.includes('response_format')) {
      for (const path of ['/api/chat', '/v1/messages']) {
        expect((await post(emulator, path, null, { body })).status).toBe(400);
      }
    }
    await stillWell(emulator);
  });

  it('refuses forms that are none, are broken, or have no file', async () => {
    const emulator = await emulators.start();
    const forms: [string, string][] = [
      ['application/json', '{}'],
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', 'x'],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      ],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n',
      ],
    ];
    for (const [type, body] of forms) {
      const response = await post(emulator, SPEECH, null, { body, headers: { 'Content-Type': type } });
      expect([type, response.status]).toEqual([type, 422]);
    }
    const format = new FormData();
    format.set('file', new Blob(['x']), 'a');
    format.set('response_format', 'srt');
    expect((await fetch(`${emulator.url}${SPEECH}`, { method: 'POST', body: format })).status).toBe(422);
    await stillWell(emulator);
  });

  it('answers to a form that is broken in its middle, while the upload goes on', async () => {
    const emulator = await emulators.start();
    const broken = '--b\r\nno header at all\r\n\r\n';
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(broken)) });
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const response = await post(emulator, SPEECH, null, { body, headers, duplex: 'half' });
    expect(response.status).toBe(422);
    await response.body?.cancel();
    await stillWell(emulator);
  });

  it('survives uploads that break off', async () => {
    const emulator = await emulators.start();
    for (const bytes of [
      '',
      '--b\r\n',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ]) {
      const stump = `POST ${SPEECH} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 99999\r\n\r\n${bytes}`;
      await raw(emulator, stump);
    }
    await stillWell(emulator);
    expect(emulator.log().items.filter(({ outcome }) => outcome === 'closed_early')).toHaveLength(3);
  });

  it('survives what is no HTTP, odd paths and odd methods', async () => {
    const emulator = await emulators.start();
    expect(await raw(emulator, 'hello\r\n\r\n')).toContain('400 Bad Request');
    for (const path of [
      '//',
      '/%ff',
      '/emulator/',
      '/emulator/none',
      '*',
      'http://[',
      '/constructor',
      '/openai/api/chat',
    ]) {
      expect(await raw(emulator, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 (404|400)/,
      );
    }
    expect((await fetch(`${emulator.url}${CHAT}`, { method: 'DELETE' })).status).toBe(404);
    expect((await control(emulator, 'PUT', 'script')).status).toBe(422);
    expect((await control(emulator, 'POST', 'release', { count: 0 })).status).toBe(422);
    expect((await control(emulator, 'POST', 'release', 'x')).status).toBe(422);
    expect((await post(emulator, '/emulator/reset', null, { body: '{' })).status).toBe(400);
    await stillWell(emulator);
  });

  it('can be stopped while calls hang, and started again', async () => {
    const emulator = await emulators.start();
    emulator.script([{ action: { hold: true, ignore_close: true } }]);
    const call = chat(emulator, 'x').catch(() => 'broken');
    await emulator.untilHeld(1);
    await emulator.stop();
    expect([await call, emulator.scriptInForce().held]).toEqual(['broken', 0]);
    expect(() => emulator.url).toThrow('not been started');
    await emulator.start();
    emulator.reset();
    expect((await chat(emulator, 'x')).status).toBe(200);
  });
});
