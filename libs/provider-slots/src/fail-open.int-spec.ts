import { Logger } from '@nestjs/common';
import { Metrics } from '@app/observability';
import { eventually } from '../../../test/support/eventually';
import { RedisProxy } from '../../../test/support/redis-proxy';
import { RedisServer } from '../../../test/support/redis-server';
import type { Lease } from './lease';
import type { ProviderSlots } from './provider-slots';
import { SlotsWorld, wish } from './testing/slots-world';

const cap = (limit: number | null, name = 'asr') => ({ name, limit });
const LEASE_MS = 1_500;

describe('P11 fail open', () => {
  const closers: (() => Promise<void>)[] = [];
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    jest.restoreAllMocks();
  });

  async function setup() {
    const proxy = await RedisProxy.start(server.url);
    closers.push(() => proxy.close());
    const world = new SlotsWorld({ leaseMs: LEASE_MS, sweepMs: 50 }, server.url);
    closers.push(() => world.close());
    const metrics = new Metrics();
    const slots = await world.open({ url: proxy.url, metrics });
    const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const isDegraded = async () => (await metrics.slotsDegraded.get()).values[0]?.value === 1;
    const untilBack = () => eventually('Redis is back', async () => !(await isDegraded()));
    return { proxy, world, slots, errors, isDegraded, untilBack };
  }

  async function granted(slots: ProviderSlots, placeId: string, limit: number): Promise<Lease> {
    const answer = await slots.tryAcquire(wish(placeId, cap(limit)));
    if (answer.outcome !== 'granted') throw new Error(`${placeId} was not granted`);
    return answer.lease;
  }

  it.each(['refuse', 'blackhole'] as const)(
    'P11 fail open: %s: within 2 s a caller goes on under the same limit, degraded, with one line in the log',
    async (how) => {
      const { proxy, slots, errors, isDegraded } = await setup();
      const before = await granted(slots, 'before', 2);
      await proxy[how]();
      const startedAt = Date.now();
      const lease = await granted(slots, 'a', 2);
      expect(Date.now() - startedAt).toBeLessThan(2_000);
      expect([before.degraded, lease.degraded, await isDegraded()]).toEqual([false, true, true]);
      // The lease from before counts: the process does not double its share.
      expect((await slots.tryAcquire(wish('b', cap(2)))).outcome).toBe('busy');
      await before.release();
      await granted(slots, 'b', 2);
      for (let i = 0; i < 20; i += 1) await slots.tryAcquire(wish(`more${i}`, cap(2)));
      expect(errors).toHaveBeenCalledTimes(1);
      expect(await slots.snapshot()).toEqual({ degraded: true, caps: [] });
    },
  );

  it('P11 fail open: who waits in place when Redis goes away is served by the local cap, in turn', async () => {
    const { proxy, slots } = await setup();
    const first = await slots.acquire(wish('a', cap(1)));
    const waiting = slots.acquire(wish('b', cap(1)));
    await eventually('b waits', async () => (await slots.outlook('b')) !== null);
    await proxy.refuse();
    await first.release();
    expect((await waiting).degraded).toBe(true);
  });

  it('P11 fail open: when Redis is back, live leases are told to it, and no new call is admitted above the limit', async () => {
    const { proxy, world, slots, untilBack } = await setup();
    const before = await granted(slots, 'before', 2);
    await proxy.refuse();
    const local = await granted(slots, 'a', 2);
    await proxy.pass();
    await untilBack();
    expect(await world.held('asr')).toBe(2);
    expect((await slots.tryAcquire(wish('b', cap(2)))).outcome).toBe('busy');
    await before.release();
    await local.release();
    expect(await world.held('asr')).toBe(0);
    expect((await granted(slots, 'b', 2)).degraded).toBe(false);
  });

  it('P11 fail open: what was released during the outage is no ghost afterwards', async () => {
    const { proxy, world, slots, untilBack } = await setup();
    const before = await granted(slots, 'before', 2);
    await proxy.refuse();
    const local = await granted(slots, 'a', 2);
    await before.release();
    await local.release();
    await proxy.pass();
    await untilBack();
    expect(await world.held('asr')).toBe(0);
  });

  it('P11 fail open: a command of the outage that arrives late leaves no ghost, whether its call still runs or not', async () => {
    const { proxy, world, slots, untilBack } = await setup();
    await proxy.blackhole();
    const [ended, running] = await Promise.all([granted(slots, 'ended', 3), granted(slots, 'running', 3)]);
    await ended.release();
    await proxy.pass();
    await untilBack();
    expect(await world.redis.zrange(`${world.root}:cap:asr:held`, 0, -1)).toEqual(['running']);
    await running.release();
    expect(await world.held('asr')).toBe(0);
  });

  it('P11 fail open: an attempt that was given up is refused when it arrives after its own end', async () => {
    const { world } = await setup();
    await world.store.disownAttempt('a', 'late');
    expect((await world.ask(wish('a', cap(1)), 'park', 'late')).outcome).toBe('disowned');
    expect(await world.held('asr')).toBe(0);
    expect((await world.ask(wish('a', cap(1)), 'park', 'fresh')).outcome).toBe('granted');
    await world.store.disownAttempt('a', 'late');
    expect(await world.held('asr')).toBe(1);
    await world.store.disownAttempt('a', 'fresh');
    expect(await world.held('asr')).toBe(0);
  });

  it.each(['the same data', 'nothing'] as const)(
    'P11 fail open: Redis restarts with %s: leases re-asserted, overruns counted, tickets kept, no ghosts',
    async (state) => {
      const { world, slots, untilBack, isDegraded } = await setup();
      const lease = await granted(slots, 'a', 1);
      const parked = await slots.acquireOrPark(wish('early', cap(1)));
      await server.kill();
      await eventually('degraded', async () => {
        await slots.snapshot();
        return isDegraded();
      });
      if (state === 'nothing') await server.startEmpty();
      else await server.startAgain();
      await untilBack();
      await eventually('re-asserted', async () => (await world.held('asr')) === 1);
      expect((await slots.tryAcquire(wish('new', cap(1)))).outcome).toBe('busy');
      if (parked.outcome !== 'parked') throw new Error('not parked');
      await slots.acquireOrPark(wish('late', cap(1)));
      const again = await slots.acquireOrPark(wish('early', cap(1), { ticket: parked.ticket }));
      expect(again).toMatchObject({ outcome: 'parked', ticket: parked.ticket });
      await lease.release();
      expect(await world.statesOf('early', 'late')).toEqual(['offered', 'waiting']);
      expect(await world.held('asr')).toBe(1);
    },
  );
});
