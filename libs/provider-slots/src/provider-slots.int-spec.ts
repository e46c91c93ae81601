import { newJobScope } from '@app/request-scope';
import { SlotBusyError, SlotParkedError, SlotWaitTimeoutError } from './slot-errors';
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
});
