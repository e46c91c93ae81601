import { useWorlds, wish } from '../testing/slots-world';
import { toStored } from '../slot-records';
import type { CapRequest } from '../slot-request';

const cap = (limit: number | null, name = 'asr'): CapRequest => ({ name, limit });
const one = cap(1);

describe('P2 full quota and P5 hand-off', () => {
  const newWorld = useWorlds();

  it('P5 hand-off: release offers the slot to the next waiter in the same script', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one), wish('c', one));
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.statesOf('b', 'c')).toEqual(['offered', 'waiting']);
  });

  it('P5 hand-off: nobody barges while somebody waits, whatever the verb', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one));
    await world.store.releaseSlot('a', lease, 'ok');
    for (const mode of ['try', 'park', 'wait'] as const) {
      expect((await world.ask(wish(`x-${mode}`, one), mode)).outcome).not.toBe('granted');
    }
    expect((await world.ask(wish('b', one))).outcome).toBe('granted');
  });

  it('P5 hand-off: a newcomer does not pass a waiter whose slot has just expired', async () => {
    const world = newWorld({ leaseMs: 1_000 }).pinClock();
    await world.grant(wish('a', one));
    await world.park(wish('b', one));
    world.advance(1_001);
    expect((await world.ask(wish('c', one), 'try')).outcome).toBe('busy');
    expect(await world.stateOf('b')).toBe('offered');
  });

  it('P5 hand-off: a newcomer does not pass who waits on another cap whose gate has just fallen due', async () => {
    const world = newWorld().pinClock();
    const caps = [cap(1, 'fleet'), cap(null, 'endpoint')];
    const lease = await world.grant(wish('a', caps));
    await world.store.refuseSlot('a', lease, {
      endpointCap: 'endpoint',
      forMs: 1_000,
      reason: 'rate_limited',
    });
    await world.park(wish('b', caps));
    world.advance(1_001);
    expect((await world.ask(wish('c', cap(1, 'fleet')), 'try')).outcome).toBe('busy');
    expect(await world.stateOf('b')).toBe('offered');
  });

  it('P5 hand-off: an offer that is asked for with other caps goes to who waits for it before the new wish is looked at', async () => {
    const world = newWorld().pinClock();
    const [fleet, endpoint] = [cap(1, 'fleet'), cap(1, 'endpoint')];
    const lease = await world.grant(wish('x', [fleet, endpoint]));
    await world.park(wish('a', [fleet, endpoint]), wish('b', [fleet, endpoint]));
    await world.store.releaseSlot('x', lease, 'ok');
    expect((await world.ask(wish('a', endpoint))).outcome).toBe('parked');
    expect(await world.statesOf('a', 'b')).toEqual(['waiting', 'offered']);
  });

  it('P2 full quota: every freed slot is reached while there is work, and peak is the limit', async () => {
    const world = newWorld();
    const leases = new Map<string, string>();
    for (let i = 0; i < 3; i += 1) leases.set(`p${i}`, await world.grant(wish(`p${i}`, cap(3))));
    for (let i = 3; i < 30; i += 1) await world.park(wish(`p${i}`, cap(3)));
    for (let i = 3; i < 30; i += 1) {
      const [placeId, leaseId] = [...leases][0]!;
      leases.delete(placeId);
      await world.store.releaseSlot(placeId, leaseId, 'ok');
      leases.set(`p${i}`, await world.grant(wish(`p${i}`, cap(3))));
      expect(await world.held('asr')).toBe(3);
    }
  });

  it('P2 full quota: a hundred removed jobs at the head of a lane cost milliseconds, not claim deadlines', async () => {
    const world = newWorld();
    let served = (): void => undefined;
    const wasServed = new Promise<void>((resolve) => (served = resolve));
    const slots = await world.open({
      onWake: (wake) => {
        if (wake === 'gone') return Promise.resolve('gone');
        served();
        return Promise.resolve('woken');
      },
    });
    const first = await slots.acquire(wish('a', one));
    for (let i = 0; i < 100; i += 1) await world.park(wish(`gone${i}`, one, { wake: 'gone' }));
    await world.park(wish('alive', one, { wake: 'alive' }));
    const startedAt = Date.now();
    await first.release();
    await wasServed;
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });

  it('P2 full quota: an offer made while the job is still active is announced until it is claimed', async () => {
    const world = newWorld();
    let asks = 0;
    let woken = (): void => undefined;
    const wasWoken = new Promise<void>((resolve) => (woken = resolve));
    const slots = await world.open({
      onWake: () => {
        asks += 1;
        if (asks < 4) return Promise.resolve('busy');
        woken();
        return Promise.resolve('woken');
      },
    });
    const first = await slots.acquire(wish('a', one));
    await world.park(wish('b', one, { wake: 'b' }));
    await first.release();
    await wasWoken;
    await world.grant(wish('b', one, { wake: 'b' }));
    expect(asks).toBe(4);
  });

  it('P2 full quota: a wake whose popper died is put on the list again', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one, { wake: 'b' }));
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.redis.llen(world.store.wakesKey)).toBe(1);
    await world.redis.lpop(world.store.wakesKey);
    world.advance(1_001);
    await world.sweep();
    expect(await world.redis.llen(world.store.wakesKey)).toBe(1);
  });

  it('P2 full quota: more than 64 lanes freed at once are all served, by continuations', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', cap(1)));
    for (let i = 0; i < 150; i += 1) await world.park(wish(`p${i}`, cap(1), { group: `g${i}` }));
    await world.store.setLimit('asr', 200);
    const offered = await world.offers('asr').then((all) => all.length);
    expect(offered).toBeLessThanOrEqual(64);
    // A newcomer waits its turn although there is room: 86 lanes are still to be served.
    expect((await world.ask(wish('new', cap(1)), 'try')).outcome).toBe('busy');
    await world.sweep();
    expect(await world.offers('asr').then((all) => all.length)).toBe(150);
    await world.store.releaseSlot('x', lease, 'ok');
    expect((await world.ask(wish('new', cap(1)), 'try')).outcome).toBe('granted');
  });

  it('P2 full quota: an in-place waiter whose process is gone is skipped at once', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('a', one));
    await world.store.acquireSlot(toStored(wish('b', one), 'n'), 'wait', `${world.root}:offers:nobody`);
    await world.park(wish('c', one));
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.statesOf('b', 'c')).toEqual(['aside', 'offered']);
    expect(await world.held('asr')).toBe(1);
  });

  it('P5 hand-off: CLIENT KILL TYPE pubsub, FUNCTION FLUSH and SCRIPT FLUSH cost milliseconds', async () => {
    const world = newWorld();
    const slots = await world.open();
    const first = await slots.acquire(wish('a', one));
    const waiting = slots.acquire(wish('b', one));
    while ((await world.stateOf('b')) !== 'waiting') await new Promise(setImmediate);
    await world.redis.client('KILL', 'TYPE', 'pubsub');
    await world.redis.function('FLUSH');
    await world.redis.script('FLUSH');
    const startedAt = Date.now();
    await first.release();
    await waiting;
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });
});
