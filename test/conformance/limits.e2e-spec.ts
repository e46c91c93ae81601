import type { AppConfig } from '@app/config';
import type { ProviderParts } from '../../libs/providers/src/compose-providers';
import { eventually } from '../support/eventually';
import { DIALECTS, type Dialect, ProviderWorld } from './provider-world';

const LIMIT = 3;

/** Most calls that were inside the adapters of these processes at once. */
function watchCallers(dialect: Pick<Dialect, 'kind'> & { provider: string }, ...processes: ProviderParts[]) {
  const seen = { inFlight: 0, peak: 0 };
  const watched = async <T>(call: () => Promise<T>): Promise<T> => {
    seen.inFlight += 1;
    seen.peak = Math.max(seen.peak, seen.inFlight);
    return call().finally(() => (seen.inFlight -= 1));
  };
  for (const { adapters } of processes) {
    if (dialect.kind === 'asr') {
      const adapter = adapters.asr(dialect.provider as 'whisperx');
      const transcribe = adapter.transcribe.bind(adapter);
      jest.spyOn(adapter, 'transcribe').mockImplementation((...call) => watched(() => transcribe(...call)));
    } else {
      const adapter = adapters.llm(dialect.provider as 'ollama');
      const generate = adapter.generate.bind(adapter);
      jest.spyOn(adapter, 'generate').mockImplementation((...call) => watched(() => generate(...call)));
    }
  }
  return seen;
}

function limited(kind: string, more: Partial<AppConfig> = {}): Partial<AppConfig> {
  return { [`QB_${kind.toUpperCase()}_CONCURRENCY_LIMIT`]: LIMIT, ...more };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe.each(DIALECTS)('the limit of $kind through $provider', (dialect) => {
  let world: ProviderWorld;

  beforeAll(async () => {
    world = await ProviderWorld.start(dialect, { holdMs: { asr: 60, llm: 60 } });
  });
  afterEach(() => world.renew());
  afterAll(() => world.stop());

  it('is reached and never passed, at the caller and at the wire, by calls of two processes', async () => {
    const first = await world.process(limited(dialect.kind));
    const second = await world.process(limited(dialect.kind));
    const callers = watchCallers(dialect, first, second);
    const results = await Promise.all(times(LIMIT + 4, (index) => world.ask(index % 2 ? first : second)));
    expect(results).toHaveLength(LIMIT + 4);
    expect([callers.peak, world.emulator.stats()[dialect.kind].peak]).toEqual([LIMIT, LIMIT]);
    expect(world.requests).toBe(LIMIT + 4);
  });

  it('is shared by two configurations of one box', async () => {
    const { host } = new URL(world.baseUrl);
    const names = [`http://${host}/${dialect.provider}`, `HTTP://${host}/${dialect.provider}/v1/`];
    const variable = `QB_${dialect.kind.toUpperCase()}_BASE_URL`;
    const processes = await Promise.all(
      names.map((name) => world.process(limited(dialect.kind, { [variable]: name }))),
    );
    await Promise.all(times(LIMIT + 4, (index) => world.ask(processes[index % 2]!)));
    expect(world.emulator.stats()[dialect.kind].peak).toBe(LIMIT);
  });

  it('is another one for another box', async () => {
    const other = await ProviderWorld.start(dialect, { holdMs: { asr: 60, llm: 60 } });
    try {
      const variable = `QB_${dialect.kind.toUpperCase()}_BASE_URL`;
      const here = await world.process(limited(dialect.kind));
      const there = await world.process(limited(dialect.kind, { [variable]: other.baseUrl }));
      const emulators = [world.emulator, other.emulator];
      for (const emulator of emulators) emulator.script([{ action: { hold: true } }]);
      const asking = Promise.all(times(2 * (LIMIT + 2), (index) => world.ask(index % 2 ? here : there)));
      // Both full at the same time: shared slots could not do that.
      const full = (emulator: typeof world.emulator) =>
        emulator.until((stats) => stats[dialect.kind].in_flight === LIMIT);
      await Promise.all(emulators.map(full));
      for (const emulator of emulators) emulator.script([]);
      for (const emulator of emulators) emulator.release();
      await asking;
      const peaks = emulators.map((emulator) => emulator.stats()[dialect.kind].peak);
      expect(peaks).toEqual([LIMIT, LIMIT]);
    } finally {
      await other.stop();
    }
  });

  it.each([
    ['before the headers', { hang: 'before_headers' } as const],
    ['in mid-body', { hang: 'mid_body' } as const],
    ['by a reset', { cut: 'mid_body' } as const],
  ])('is whole again after calls that ended %s (FC-17)', async (_how, action) => {
    const parts = await world.process(limited(dialect.kind));
    world.emulator.script([{ action }]);
    for (const turn of times(5, (index) => index)) {
      const gone = new AbortController();
      const asking = world.inRequest(() => world.ask(parts, { signal: gone.signal, prompt: `turn ${turn}` }));
      asking.catch(() => undefined);
      await world.emulator.until((stats) => stats[dialect.kind].requests === turn + 1);
      if ('hang' in action) gone.abort(new Error('gone'));
      await expect(asking).rejects.toThrow();
    }
    world.emulator.script([]);
    const { caps } = await parts.slots.slots.snapshot();
    expect(caps.map(({ inUse, waiting }) => [inUse, waiting])).toEqual([[0, 0]]);
    await world.inRequest(() => world.ask(parts));
  });
});

describe.each(['asr', 'llm'] as const)('the limit of %s through the stub, which speaks no HTTP', (kind) => {
  it('is reached and never passed: it sits in the caller', async () => {
    const world = await ProviderWorld.start({ kind, provider: 'stub' });
    try {
      const settings = limited(kind, {
        [`QB_${kind.toUpperCase()}_BASE_URL`]: 'http://gpu:9000/?hold_ms=60',
      });
      const processes = [await world.process(settings), await world.process(settings)];
      const callers = watchCallers({ kind, provider: 'stub' }, ...processes);
      await Promise.all(times(LIMIT + 4, (index) => world.ask(processes[index % 2]!)));
      expect(callers.peak).toBe(LIMIT);
      expect(world.requests).toBe(0);
    } finally {
      await world.stop();
    }
  });

  it('is not there where nobody set one, and the calls register all the same', async () => {
    const world = await ProviderWorld.start({ kind, provider: 'stub' });
    try {
      const parts = await world.process();
      parts.adapters.stub.holdMs = 100;
      const asking = Promise.all(times(12, () => world.ask(parts)));
      await eventually('all run', () => parts.adapters.stub.inFlight === 12);
      const { caps } = await parts.slots.slots.snapshot();
      expect(caps).toMatchObject([
        { name: `${kind}:stub:${parts.endpoints[kind].host}`, limit: null, inUse: 12 },
      ]);
      await asking;
    } finally {
      await world.stop();
    }
  });
});
