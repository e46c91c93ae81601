import { useWorlds, wish } from '../testing/slots-world';
import type { CapRequest } from '../slot-request';

const cap = (limit: number | null, name = 'asr'): CapRequest => ({ name, limit });

describe('P1 cap', () => {
  const newWorld = useWorlds();

  it('P1 cap: fifty callers at once, capacity two: two are granted, and the peak is the limit', async () => {
    const world = newWorld();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => world.ask(wish(`p${i}`, cap(2)), 'try')),
    );
    expect(replies.filter(({ outcome }) => outcome === 'granted')).toHaveLength(2);
    expect(await world.held('asr')).toBe(2);
  });

  it('P1 cap: an offer counts like a lease', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('a', cap(1)));
    await world.park(wish('b', cap(1)));
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.stateOf('b')).toBe('offered');
    expect(await world.ask(wish('c', cap(1)), 'try')).toMatchObject({ outcome: 'busy' });
  });

  it('P1 cap: lowering takes nothing away and swallows freed slots', async () => {
    const world = newWorld().pinClock();
    const leases = [];
    for (const id of ['a', 'b', 'c']) leases.push(await world.grant(wish(id, cap(3))));
    await world.park(wish('d', cap(3)));
    await world.store.setLimit('asr', 1);
    expect(await world.held('asr')).toBe(3);
    await world.store.releaseSlot('a', leases[0]!, 'ok');
    await world.store.releaseSlot('b', leases[1]!, 'ok');
    expect(await world.stateOf('d')).toBe('waiting');
    await world.store.releaseSlot('c', leases[2]!, 'ok');
    expect(await world.stateOf('d')).toBe('offered');
  });

  it('P1 cap: raising admits at once, by override and by a request that asks for more', async () => {
    const world = newWorld().pinClock();
    await world.grant(wish('a', cap(1)));
    await world.park(wish('b', cap(1)), wish('c', cap(1)));
    await world.store.setLimit('asr', 2);
    expect(await world.statesOf('b', 'c')).toEqual(['offered', 'waiting']);
    await world.store.setLimit('asr', null);
    expect(await world.ask(wish('d', cap(3)), 'try')).toMatchObject({ outcome: 'busy' });
    expect(await world.statesOf('b', 'c')).toEqual(['offered', 'offered']);
  });

  it('P1 cap: one limit is in force for all who wait, also while two processes ask for different ones', async () => {
    const world = newWorld().pinClock();
    await world.grant(wish('a', cap(2)));
    await world.grant(wish('b', cap(2)));
    await world.park(wish('c', cap(1)));
    await world.park(wish('d', cap(2)));
    expect(await world.held('asr')).toBe(2);
    await world.store.setLimit('asr', 1);
    await world.ask(wish('e', cap(9)));
    expect(await world.held('asr')).toBe(2);
  });

  it('P1 cap: an uncapped cap refuses nobody and registers its leases', async () => {
    const world = newWorld();
    for (let i = 0; i < 20; i += 1) await world.grant(wish(`p${i}`, cap(null)), 'try');
    expect(await world.held('asr')).toBe(20);
  });

  it('P4 all or nothing: a request that one cap refuses changes no count anywhere', async () => {
    const world = newWorld();
    const caps = [cap(1, 'team'), cap(2, 'fleet'), cap(1, 'endpoint')];
    await world.grant(wish('x', cap(1, 'endpoint')));
    expect(await world.ask(wish('a', caps), 'try')).toMatchObject({ outcome: 'busy', cap: 'endpoint' });
    expect(await Promise.all(['team', 'fleet', 'endpoint'].map((name) => world.held(name)))).toEqual([
      0, 0, 1,
    ]);
  });

  it('P4 all or nothing: names the narrowest cap that is full', async () => {
    const world = newWorld();
    const caps = [cap(1, 'team'), cap(1, 'fleet')];
    await world.grant(wish('a', caps));
    expect(await world.ask(wish('b', caps), 'park')).toMatchObject({ cap: 'team', reason: 'cap', limit: 1 });
  });

  it('P4 all or nothing: who waits for its own team delays nobody else', async () => {
    const world = newWorld();
    const of = (team: string) => [cap(1, `g:${team}`), cap(2, 'g')];
    const lease = await world.grant(wish('a1', of('a'), { group: 'a' }));
    await world.park(wish('a2', of('a'), { group: 'a' }), wish('a3', of('a'), { group: 'a' }));
    await world.grant(wish('b1', of('b'), { group: 'b' }), 'try');
    await world.store.releaseSlot('a1', lease, 'ok');
    expect(await world.statesOf('a2', 'a3')).toEqual(['offered', 'waiting']);
    expect(await world.held('g')).toBe(2);
  });
});
