import { chat, control, post, RunningEmulators, speech } from './running-emulator';

describe('what is in flight', () => {
  const emulators = new RunningEmulators();
  afterEach(() => emulators.stopAll());
  const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));

  it('takes every request at once and remembers the most there were, per kind', async () => {
    const emulator = await emulators.start();
    emulator.script([{ action: { hold: true } }]);
    const calls = [many(8, () => speech(emulator, Buffer.from('x'))), many(3, () => chat(emulator, 'hello'))];
    await emulator.until(({ asr, llm }) => asr.in_flight === 8 && llm.in_flight === 3);
    await emulator.untilHeld(11);
    expect(emulator.release()).toBe(11);
    await Promise.all(calls);
    expect(emulator.stats()).toMatchObject({
      asr: { in_flight: 0, peak: 8, requests: 8 },
      llm: { in_flight: 0, peak: 3, requests: 3 },
    });
  });

  it('never counts more than a client that keeps to two at a time', async () => {
    const emulator = await emulators.start({ holdMs: { llm: 2 } });
    const worker = async (): Promise<void> => {
      for (let call = 0; call < 100; call += 1) await (await chat(emulator, 'again')).text();
    };
    await Promise.all([worker(), worker()]);
    expect(emulator.stats().llm).toEqual({ in_flight: 0, peak: 2, requests: 200 });
  });

  it('counts from the arrival, while the body is still coming', async () => {
    const emulator = await emulators.start();
    const gone = new AbortController();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{"model":')) });
    const call = chat(emulator, '', { body, duplex: 'half', signal: gone.signal }).catch(() => 'gone');
    await emulator.until(({ llm }) => llm.in_flight === 1);
    gone.abort();
    expect(await call).toBe('gone');
    await emulator.until(({ llm }) => llm.in_flight === 0);
    expect(emulator.log().items).toMatchObject([
      { kind: 'llm', outcome: 'closed_early', status: null, digest: null },
    ]);
  });

  it('sees at once that a client has gone, and says so in its log', async () => {
    const emulator = await emulators.start();
    emulator.script([{ match: { nth: 1 }, action: { hang: 'before_headers' } }]);
    const gone = new AbortController();
    const call = chat(emulator, 'patience', { signal: gone.signal }).catch(() => 'gone');
    await emulator.until(({ llm }) => llm.in_flight === 1);
    gone.abort();
    await emulator.until(({ llm }) => llm.in_flight === 0);
    expect(await call).toBe('gone');
    await (await chat(emulator, 'again')).text();
    const { items } = (await (await control(emulator, 'GET', 'log?kind=llm')).json()) as { items: object[] };
    expect(items).toMatchObject([
      { method: 'POST', path: '/v1/chat/completions', outcome: 'closed_early', status: null, rule: 1 },
      { outcome: 'answered', status: 200, rule: null },
    ]);
  });

  it('counts per mark as well', async () => {
    const emulator = await emulators.start();
    emulator.script([{ action: { hold: true } }]);
    const calls = [
      chat(emulator, '[team:x] one'),
      chat(emulator, 'two [team:x] [team:y]'),
      chat(emulator, 'three'),
    ];
    await emulator.until(({ marks }) => marks['team:x']?.in_flight === 2);
    await emulator.untilHeld(3);
    expect(await (await control(emulator, 'POST', 'release', { mark: 'team:x', count: 1 })).json()).toEqual({
      released: 1,
    });
    await emulator.until(({ marks }) => marks['team:x']?.in_flight === 1);
    emulator.release();
    await Promise.all(calls);
    expect(emulator.stats().marks).toEqual({
      'team:x': { in_flight: 0, peak: 2, requests: 2 },
      'team:y': { in_flight: 0, peak: 1, requests: 1 },
    });
  });

  it('works on so many at once as it is told; those waiting inside are in flight all the same', async () => {
    const emulator = await emulators.start({ concurrency: { llm: 2 } });
    emulator.script([{ action: { hold: true } }]);
    const calls = many(5, () => chat(emulator, 'queue'));
    await emulator.until(({ llm }) => llm.in_flight === 5);
    await emulator.untilHeld(2);
    expect(emulator.release()).toBe(2);
    await emulator.until(({ llm }) => llm.in_flight === 3);
    emulator.adjust({ concurrency: {} });
    await emulator.untilHeld(3);
    expect(emulator.release()).toBe(3);
    expect((await calls).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(emulator.stats().llm.peak).toBe(5);
  });

  it('answers 429 above its concurrency only when told to', async () => {
    const emulator = await emulators.start({ concurrency: { llm: 1 }, whenFull: 'refuse' });
    emulator.script([{ match: { nth: 1 }, action: { hold: true } }]);
    const first = chat(emulator, 'first');
    await emulator.untilHeld(1);
    const second = await chat(emulator, 'second');
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
    emulator.release();
    expect((await first).status).toBe(200);
  });

  it('gives the inner slot of a client that has gone to the next, unless it is to ignore that', async () => {
    const emulator = await emulators.start({ concurrency: { llm: 1 } });
    for (const ignores of [false, true]) {
      emulator.script([{ match: { nth: 1 }, action: { hold: true, ignore_close: ignores } }]);
      const gone = new AbortController();
      const first = chat(emulator, 'first', { signal: gone.signal }).catch(() => 'gone');
      await emulator.untilHeld(1);
      const second = chat(emulator, 'second');
      await emulator.until(({ llm }) => llm.in_flight === 2);
      gone.abort();
      expect(await first).toBe('gone');
      await emulator.until(({ llm }) => llm.in_flight === (ignores ? 1 : 0));
      // Worked on to its end behind the closed socket: only now its slot is free.
      expect(emulator.release()).toBe(ignores ? 1 : 0);
      expect((await second).status).toBe(200);
    }
  });

  it('keeps what is in flight when it is reset, and starts its peak from there', async () => {
    const emulator = await emulators.start();
    emulator.script([{ action: { hang: 'before_headers' } }]);
    const gone = new AbortController();
    const calls = many(2, () => chat(emulator, 'x', { signal: gone.signal }).catch(() => undefined));
    await emulator.until(({ llm }) => llm.in_flight === 2);
    expect(await (await control(emulator, 'POST', 'reset')).json()).toMatchObject({
      llm: { in_flight: 2, peak: 2, requests: 2 },
    });
    expect(await (await control(emulator, 'GET', 'script')).json()).toEqual({ rules: [], held: 0 });
    gone.abort();
    await calls;
    await emulator.until(({ llm }) => llm.in_flight === 0);
    emulator.reset();
    expect([emulator.stats(), emulator.log()]).toEqual([
      { asr: { in_flight: 0, peak: 0, requests: 0 }, llm: { in_flight: 0, peak: 0, requests: 0 }, marks: {} },
      { items: [], dropped: 0 },
    ]);
  });

  it('never counts or logs its own routes, and counts no request for information', async () => {
    const emulator = await emulators.start();
    await control(emulator, 'GET', 'stats');
    await fetch(`${emulator.url}/api/tags`);
    await post(emulator, '/nowhere', {});
    expect(emulator.stats().llm.requests + emulator.stats().asr.requests).toBe(0);
    expect(emulator.log().items).toMatchObject([{ kind: 'info', path: '/api/tags' }]);
  });

  it('bounds its log', async () => {
    const emulator = await emulators.start({ logSize: 5 });
    for (let call = 0; call < 12; call += 1) await (await chat(emulator, 'x')).text();
    const { items, dropped } = emulator.log();
    expect(items.length + dropped).toBe(12);
    expect(items.length).toBeLessThan(10);
  });
});
