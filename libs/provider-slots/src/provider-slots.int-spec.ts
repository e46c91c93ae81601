import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '@app/observability';
import { newJobScope } from '@app/request-scope';
import { SlotBusyError, SlotParkedError, SlotWaitTimeoutError } from './slot-errors';
import { SlotStore } from './slot-store';
import { eventually } from '../../../test/support/eventually';
import { useWorlds, wish } from './testing/slots-world';
import type { SlotsOptions } from './slots-options';

const one = { name: 'asr', limit: 1 };

describe('ProviderSlots', () => {
  const newWorld = useWorlds();

  async function setup(options: Partial<SlotsOptions> = {}) {
    const world = newWorld(options);
    return { world, slots: await world.open() };
  }

  it('grants up to the limit and refuses beyond, naming the cap', async () => {
    const { slots } = await setup();
    const first = await slots.tryAcquire(wish('a', one));
    const second = await slots.tryAcquire(wish('b', one));
    expect(first.outcome).toBe('granted');
    expect(second).toMatchObject({ outcome: 'busy', blockedBy: { cap: 'asr', reason: 'cap', limit: 1 } });
  });

  it('hands a released slot to an in-place waiter of another process', async () => {
    const { world, slots } = await setup();
    const other = await world.open();
    const first = await slots.acquire(wish('a', one));
    const waiting = other.acquire(wish('b', one));
    setTimeout(() => void first.release(), 50);
    const second = await waiting;
    expect(second.placeId).toBe('b');
    expect(await world.held('asr')).toBe(1);
    await second.release();
    expect(await world.held('asr')).toBe(0);
  });

  it('wakes a parked place through onWake, and its next ask claims the offer', async () => {
    const woken: string[] = [];
    let wake = (): void => undefined;
    const heard = new Promise<void>((resolve) => (wake = resolve));
    const { slots } = await setup({
      onWake: (text, placeId) => {
        woken.push(`${text} ${placeId}`);
        wake();
        return Promise.resolve('woken');
      },
    });
    const first = await slots.acquireOrPark(wish('a', one));
    const parked = await slots.acquireOrPark(wish('b', one, { wake: 'job-b' }));
    expect(parked.outcome).toBe('parked');
    if (first.outcome === 'granted') await first.lease.release();
    await heard;
    const claimed = await slots.acquireOrPark(wish('b', one, { wake: 'job-b' }));
    expect(claimed.outcome).toBe('granted');
    expect(woken[0]).toBe('job-b b');
  });

  it('gives up a wait in place at its bound, and the place with it', async () => {
    const { slots } = await setup();
    await slots.acquire(wish('a', one));
    await expect(slots.acquire(wish('b', one), { maxWaitMs: 50 })).rejects.toThrow(SlotWaitTimeoutError);
    expect(await slots.outlook('b')).toBeNull();
  });

  it('goes by the scope: a request is refused, a job parks at first and waits later', async () => {
    const { world, slots } = await setup();
    const held = await slots.acquire(wish('a', one));
    const work = () => Promise.resolve('done');
    const inRequest = world.scope.run({ kind: 'http', requestId: 'r' }, () =>
      slots.withSlot(wish('b', one), work),
    );
    await expect(inRequest).rejects.toThrow(SlotBusyError);
    const inJob = world.scope.run(newJobScope('j'), () => slots.withSlot(wish('c', one), work));
    await expect(inJob).rejects.toThrow(SlotParkedError);
    await slots.leave('c');
    const begun = { ...newJobScope('k'), providerCalls: 1 };
    const later = world.scope.run(begun, () => slots.withSlot(wish('d', one), work));
    setTimeout(() => void held.release(), 50);
    expect(await later).toBe('done');
    expect(begun.providerCalls).toBe(2);
    expect(await world.held('asr')).toBe(0);
  });

  it('tells a waiter its position, and everyone what the caps are like', async () => {
    const { slots } = await setup();
    await slots.acquire(wish('a', one));
    await slots.acquireOrPark(wish('b', one));
    await slots.acquireOrPark(wish('c', one));
    expect(await slots.outlook('c')).toMatchObject({ position: 1, estimatedMs: null });
    expect(await slots.snapshot()).toMatchObject({
      degraded: false,
      caps: [{ name: 'asr', limit: 1, inUse: 1, waiting: 2, gate: null }],
    });
  });

  it('refuses a place that is held with other caps, naming the option', async () => {
    const { slots } = await setup();
    await slots.acquire(wish('a', one));
    const asking = slots.tryAcquire(wish('a', { name: 'other', limit: 1 }));
    await expect(asking).rejects.toMatchObject({ code: 'place_conflict', option: 'caps' });
  });

  it('aborts the signal of a lease that was taken over, and its release frees nothing', async () => {
    const { world, slots } = await setup({ leaseMs: 300 });
    const other = await world.open({ leaseMs: 300 });
    const old = await slots.acquire(wish('a', one));
    const fresh = await other.acquire(wish('a', one));
    await new Promise((resolve) => old.signal.addEventListener('abort', resolve));
    expect(old.signal.reason).toMatchObject({ code: 'lease_lost', leaseId: old.leaseId });
    await old.release();
    expect(await world.held('asr')).toBe(1);
    await fresh.release();
    expect(await world.held('asr')).toBe(0);
  });

  it('keeps a lease alive for as long as it is held', async () => {
    const { world, slots } = await setup({ leaseMs: 200, sweepMs: 20 });
    const lease = await slots.acquire(wish('a', one));
    const deadline = async () => Number(await world.redis.zscore(`${world.root}:cap:asr:held`, 'a'));
    const first = await deadline();
    await eventually(
      'it was renewed for longer than three leases',
      async () => (await deadline()) > first + 600,
    );
    expect(await world.held('asr')).toBe(1);
    expect(lease.signal.aborted).toBe(false);
  });

  it('a job that waited its bound in place parks under its ticket', async () => {
    const { world, slots } = await setup({ maxWaitMs: 50 });
    await slots.acquire(wish('a', one));
    const scope = { ...newJobScope('j'), providerCalls: 1 };
    const working = world.scope.run(scope, () => slots.withSlot(wish('b', one), () => Promise.resolve()));
    const parked = await working.catch((error: unknown) => error);
    expect(parked).toBeInstanceOf(SlotParkedError);
    expect((parked as SlotParkedError).ticket).toMatch(/^\d{16}$/);
    expect(await slots.outlook('b')).toMatchObject({ position: 0 });
  });

  it('lets only half of a worker wait in place; the next one parks at once', async () => {
    const { world, slots } = await setup({ workerConcurrency: 4 });
    const held = await slots.acquire(wish('a', one));
    const ask = (id: string) =>
      world.scope.run({ ...newJobScope(id), providerCalls: 1 }, () =>
        slots.withSlot(wish(id, one), () => Promise.resolve(id)),
      );
    const waiting = [ask('b'), ask('c')];
    while ((await world.stateOf('c')) !== 'waiting') await new Promise(setImmediate);
    await expect(ask('d')).rejects.toThrow(SlotParkedError);
    await slots.leave('d');
    await held.release();
    expect(await Promise.all(waiting)).toEqual(['b', 'c']);
  });

  it('a wait that its caller gives up leaves no place behind', async () => {
    const { world, slots } = await setup();
    await slots.acquire(wish('a', one));
    const gone = new AbortController();
    const waiting = slots.acquire(wish('b', one), { signal: gone.signal });
    while ((await world.stateOf('b')) !== 'waiting') await new Promise(setImmediate);
    gone.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(await world.stateOf('b')).toBeUndefined();
  });

  it('FC-29: no wake is lost between "full" and "waiting", at any offset', async () => {
    const { world, slots } = await setup();
    const other = await world.open();
    await other.acquire(wish('warm', { name: 'warm', limit: 1 }));
    const handOffMs: number[] = [];
    for (let round = 0; round < 200; round += 1) {
      const lease = await slots.acquire(wish(`a${round}`, one));
      const offset = Math.random() * 8 - 4;
      let releasedAt = 0;
      const release = async () => {
        await sleep(Math.max(0, -offset));
        releasedAt = performance.now();
        await lease.release();
      };
      const wait = async () => {
        await sleep(Math.max(0, offset));
        const next = await other.acquire(wish(`b${round}`, one));
        handOffMs.push(performance.now() - releasedAt);
        await next.release();
      };
      await Promise.all([release(), wait()]);
    }
    expect(Math.max(...handOffMs)).toBeLessThan(900);
  });

  it('measures how true the first prediction of a wait was', async () => {
    const metrics = new Metrics();
    const { world, slots } = await setup({ metrics });
    for (let i = 0; i < 8; i += 1) {
      const lease = await slots.acquire(wish(`warm${i}`, one));
      await sleep(20);
      await lease.release();
    }
    const held = await slots.acquire(wish('a', one));
    const waiting = slots.acquire(wish('b', one));
    await eventually('predicted', () =>
      world.redis.hexists(`${world.root}:place:b`, 'predictedMs').then(Boolean),
    );
    await sleep(20);
    await held.release();
    await (await waiting).release();
    const { values } = await metrics.waitEstimateErrorRatio.get();
    expect(values.find(({ metricName }) => metricName?.endsWith('_count'))?.value).toBe(1);
  });

  it('tells who holds a lease that it ran out while no renewal came through', async () => {
    const { slots } = await setup({ leaseMs: 300 });
    const lease = await slots.acquire(wish('a', one));
    const heard = new Promise<void>((resolve) => lease.onOverrun(resolve));
    // Renewals hang from now on.
    jest.spyOn(SlotStore.prototype, 'renewLeases').mockReturnValue(new Promise(() => undefined));
    await heard;
    jest.restoreAllMocks();
    expect(lease.signal.aborted).toBe(false);
  });
});
