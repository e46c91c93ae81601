import type { Action } from '../../apps/emulator/src';
import { SlotParkedError } from '@app/provider-slots';
import type { Pause } from '@app/providers';
import { newJobScope } from '@app/request-scope';
import { eventually } from '../support/eventually';
import { DIALECTS, ProviderWorld } from './provider-world';

const LLMS = DIALECTS.filter(({ kind }) => kind === 'llm');
const ASRS = DIALECTS.filter(({ kind }) => kind === 'asr');

/** When each call arrived, in ms since the epoch. */
function arrivals(world: ProviderWorld): number[] {
  return world.emulator.log().items.map((entry) => Date.parse(entry.arrived_at));
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - times[index]!);
}

describe.each(LLMS)('a text call of a job through $provider', (dialect) => {
  let world: ProviderWorld;

  beforeAll(async () => {
    world = await ProviderWorld.start(dialect);
  });
  afterEach(() => world.renew());
  afterAll(() => world.stop());

  it('waits in place until the time it was given, never earlier, with its slot given back', async () => {
    world.emulator.script([{ match: { nth: 1 }, action: { error: 'rate_limited', retry_after: 1 } }]);
    const parts = await world.process();
    const pauses: Pause[] = [];
    const asking = world.inJob(() => world.ask(parts, { onPause: (pause) => pauses.push(pause) }));
    const paused = await eventually('the call waits at the closed gate', async () => {
      const { caps } = await parts.slots.slots.snapshot();
      return caps.find(({ gate, waiting }) => gate !== null && waiting === 1);
    });
    expect(paused).toMatchObject({ inUse: 0, waiting: 1, gate: { reason: 'rate_limited' } });
    await asking;
    const [gap] = gaps(arrivals(world));
    expect(gap).toBeGreaterThanOrEqual(1_000);
    expect(gap).toBeLessThan(5_000);
    expect(pauses).toMatchObject([{ refusal: 'rate_limited' }]);
  });

  it('is sent three times at most, whatever it meets, each time after a longer pause (FC-07)', async () => {
    const meet = async (action: Action, code: string): Promise<void> => {
      const own = await ProviderWorld.start(dialect);
      try {
        own.emulator.script([{ action }]);
        const parts = await own.process({ QB_LLM_TIMEOUT_MS: 200 });
        await expect(own.inJob(() => own.ask(parts))).rejects.toMatchObject({ code, retryable: false });
        expect(own.requests).toBe(3);
        const [first, second] = gaps(arrivals(own));
        expect(first).toBeGreaterThanOrEqual(900);
        expect(second).toBeGreaterThanOrEqual(1_800);
        await own.emulator.until((stats) => stats.llm.in_flight === 0, 2_000);
      } finally {
        await own.stop();
      }
    };
    await Promise.all([
      meet({ error: 'rate_limited' }, 'provider_rate_limited'),
      meet({ error: 'server_error' }, 'provider_failed'),
      meet({ hang: 'before_headers' }, 'provider_timeout'),
    ]);
  });

  it.each(['insufficient_quota', 'bad_gateway', 'gateway_timeout', 'unauthorized'] as const)(
    'is not sent again after %s',
    async (error) => {
      world.emulator.script([{ action: { error } }]);
      const parts = await world.process();
      await expect(world.inJob(() => world.ask(parts))).rejects.toMatchObject({ retryable: false });
      expect(world.requests).toBe(1);
    },
  );

  it('is sent again after a 429 that speaks of a quota in prose alone', async () => {
    const message = 'You exceeded your current quota (insufficient_quota)';
    world.emulator.script([
      { match: { nth: 1 }, action: { error: 'rate_limited', message, retry_after: 0.2 } },
    ]);
    const parts = await world.process();
    await world.inJob(() => world.ask(parts));
    expect(world.requests).toBe(2);
  });
});

describe.each(ASRS)('a transcription of a job through $provider', (dialect) => {
  let world: ProviderWorld;

  beforeAll(async () => {
    world = await ProviderWorld.start(dialect);
  });
  afterEach(() => world.renew());
  afterAll(() => world.stop());

  it.each(['rate_limited', 'overloaded'] as const)(
    'is put back when it is refused with %s, under its ticket',
    async (error) => {
      world.emulator.script([{ match: { nth: 1 }, action: { error, retry_after: 1 } }]);
      const parts = await world.process();
      const scope = newJobScope('r');
      let ticket = '';
      const onGranted = (grant: { ticket: string }) => void (ticket = grant.ticket);
      const parked: unknown = await world.requestScope
        .run(scope, () => world.ask(parts, { onGranted, placeId: 'mine' }))
        .catch((thrown: unknown) => thrown);
      expect(parked).toBeInstanceOf(SlotParkedError);
      expect(parked).toMatchObject({
        placeId: 'mine',
        ticket,
        blockedBy: { reason: 'gate', gateReason: error },
      });
      expect([scope.providerCalls, world.requests]).toEqual([0, 1]);

      // Another one of the fleet is parked behind the same gate, without a request.
      const other = await world.process();
      await expect(world.inJob(() => world.ask(other))).rejects.toBeInstanceOf(SlotParkedError);
      expect(world.requests).toBe(1);

      const result = await eventually('the gate opens', () =>
        world.inJob(() => world.ask(parts, { ticket, placeId: 'mine' })),
      );
      expect(result.text).not.toBe('');
      expect(gaps(arrivals(world))[0]).toBeGreaterThanOrEqual(1_000);
    },
  );

  it('is not put back when the quota is used up (FC-35)', async () => {
    world.emulator.script([{ action: { error: 'insufficient_quota', retry_after: 1 } }]);
    const parts = await world.process();
    const asking = world.inJob(() => world.ask(parts));
    await expect(asking).rejects.toMatchObject({ code: 'provider_quota_exhausted', retryable: false });
    expect(world.requests).toBe(1);
  });
});

describe('a gate', () => {
  it('that one caller met is closed for everyone, and a request is told so without a send', async () => {
    const world = await ProviderWorld.start({ kind: 'llm', provider: 'openai' });
    try {
      world.emulator.script([{ match: { nth: 1 }, action: { error: 'rate_limited', retry_after: 30 } }]);
      const [first, second] = [await world.process(), await world.process()];
      await expect(world.inRequest(() => world.ask(first))).rejects.toMatchObject({
        code: 'provider_rate_limited',
      });
      const refused: unknown = await world
        .inRequest(() => world.ask(second))
        .catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ code: 'provider_busy', blockedBy: { reason: 'gate' } });
      expect((refused as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(25_000);
      expect(world.requests).toBe(1);
    } finally {
      await world.stop();
    }
  });
});
