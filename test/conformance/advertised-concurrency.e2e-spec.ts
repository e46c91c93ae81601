import { type Dialect, ProviderWorld } from './provider-world';

describe.each([
  [{ kind: 'asr', provider: 'whisperx' }, '/capabilities', 1],
  [{ kind: 'llm', provider: 'llamacpp' }, '/props', 2],
] as const)('what %p says of its own concurrency', (dialect: Dialect, route, declared) => {
  let world: ProviderWorld;
  const path = `/${dialect.provider}${route}`;
  const limitIn = async (settings = {}) => {
    const parts = await world.process(settings);
    await parts.advertised.refresh();
    return { parts, limit: () => parts.endpoints.limitOf(parts.endpoints[dialect.kind]) };
  };

  beforeAll(async () => {
    world = await ProviderWorld.start(dialect, { advertised: { asr: 5, llm: 5 } });
  });
  afterEach(() => world.renew());
  afterAll(() => world.stop());

  it('is believed', async () => {
    const { limit } = await limitIn();
    expect(limit()).toEqual({ limit: 5, limitSource: 'advertised' });
  });

  it.each([3, 9])('gives way to the environment (%i)', async (value) => {
    const { limit } = await limitIn({ [`QB_${dialect.kind.toUpperCase()}_CONCURRENCY_LIMIT`]: value });
    expect(limit()).toEqual({ limit: value, limitSource: 'environment' });
  });

  it.each([
    ['a 404', { status: 404 }],
    ['nothing about it', { body: {} }],
    ['a zero', { body: { concurrency: 0, total_slots: 0 } }],
    ['a fraction', { body: { concurrency: 1.5, total_slots: 1.5 } }],
    ['a word', { body: { concurrency: '7', total_slots: '7' } }],
    ['null', { body: null }],
  ])('counts as unsaid when it is %s', async (_what, action) => {
    world.emulator.script([{ match: { path }, action }]);
    const { limit } = await limitIn();
    expect(limit()).toEqual({ limit: declared, limitSource: 'declared' });
  });

  it.each([
    ['broken', { status: 500 }],
    ['away', { cut: 'before_headers' as const }],
  ])('stays what it was while the server is %s', async (_what, action) => {
    const { parts, limit } = await limitIn();
    world.emulator.script([{ match: { path }, action }]);
    await parts.advertised.refresh();
    expect(limit()).toEqual({ limit: 5, limitSource: 'advertised' });
  });

  it('is never waited for', async () => {
    world.emulator.script([{ match: { path }, action: { hang: 'before_headers' } }]);
    const parts = await world.process();
    parts.advertised.onApplicationBootstrap();
    await world.ask(parts);
    const info = () => world.emulator.log().items.find((entry) => entry.kind === 'info');
    expect(info()).toMatchObject({ ended_at: null });
    parts.advertised.onApplicationShutdown();
  });
});
