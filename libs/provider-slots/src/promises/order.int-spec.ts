import { useWorlds, wish, type SlotsWorld } from '../testing/slots-world';
import type { CapRequest } from '../slot-request';

const cap = (limit: number | null, name = 'asr'): CapRequest => ({ name, limit });
const one = cap(1);

describe('P3 order', () => {
  const newWorld = useWorlds();

  /** Serves until nobody is left and tells in which order; `holder` has the slot at first. */
  async function serveAll(world: SlotsWorld, caps: CapRequest | CapRequest[], holder: string, lease: string) {
    const served: string[] = [];
    let [placeId, leaseId] = [holder, lease];
    for (;;) {
      await world.store.releaseSlot(placeId, leaseId, 'ok');
      const name = Array.isArray(caps) ? caps.at(-1)!.name : caps.name;
      const [next] = await world.offers(name);
      if (!next) return served;
      served.push(next);
      const group = await world.redis.hget(`${world.root}:place:${next}`, 'group');
      placeId = next;
      leaseId = await world.grant(wish(next, caps, { group: group ?? '' }));
    }
  }

  it('P3 order: within a group admission follows tickets', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one));
    await world.park(...['a', 'b', 'c'].map((id) => wish(id, one)));
    expect(await serveAll(world, one, 'x', lease)).toEqual(['a', 'b', 'c']);
  });

  it('P3 order: re-queues and renewals never reorder', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one));
    await world.park(...['a', 'b', 'c'].map((id) => wish(id, one)));
    world.advance(30_000);
    await world.store.renewLeases([], ['c']);
    await world.park(wish('b', one), wish('a', one));
    expect(await serveAll(world, one, 'x', lease)).toEqual(['a', 'b', 'c']);
  });

  it('P3 order: a missed offer costs the ticket nothing once the place asks again', async () => {
    const world = newWorld({ claimMs: 1_000 }).pinClock();
    const lease = await world.grant(wish('x', one));
    await world.park(...['a', 'b', 'c'].map((id) => wish(id, one)));
    await world.store.releaseSlot('x', lease, 'ok');
    world.advance(1_001);
    await world.sweep();
    expect(await world.statesOf('a', 'b', 'c')).toEqual(['aside', 'offered', 'waiting']);
    await world.park(wish('a', one));
    const second = await world.grant(wish('b', one));
    expect(await serveAll(world, one, 'b', second)).toEqual(['a', 'c']);
  });

  it('P3 order: between groups slots are shared in turn, whatever the flood', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one, { group: 'flood' }));
    for (let i = 0; i < 6; i += 1) await world.park(wish(`f${i}`, one, { group: 'flood' }));
    await world.park(...[0, 1, 2].map((i) => wish(`s${i}`, one, { group: 'small' })));
    expect(await serveAll(world, one, 'x', lease)).toEqual([
      's0',
      'f0',
      's1',
      'f1',
      's2',
      'f2',
      'f3',
      'f4',
      'f5',
    ]);
  });

  it('P3 order: alone, a group gets everything, and pays nothing for it later', async () => {
    const world = newWorld().pinClock();
    let lease = '';
    for (let i = 0; i < 20; i += 1) {
      if (lease) await world.store.releaseSlot(`f${i - 1}`, lease, 'ok');
      lease = await world.grant(wish(`f${i}`, one, { group: 'flood' }));
    }
    await world.park(...[0, 1, 2].map((i) => wish(`s${i}`, one, { group: 'small' })));
    await world.park(...[0, 1, 2].map((i) => wish(`g${i}`, one, { group: 'flood' })));
    const order = await serveAll(world, one, 'f19', lease);
    expect(order).toEqual(['s0', 's1', 'g0', 's2', 'g1', 'g2']);
  });

  it('P3 order: cancelled work is never counted: a team that cancels most of its queue loses no turn', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one, { group: 'z' }));
    for (let i = 0; i < 200; i += 1) await world.park(wish(`a${i}`, one, { group: 'a' }));
    await world.park(...[0, 1].map((i) => wish(`b${i}`, one, { group: 'b' })));
    for (let i = 0; i < 198; i += 1) await world.store.leavePlace(`a${i}`);
    expect(await serveAll(world, one, 'x', lease)).toEqual(['a198', 'b0', 'a199', 'b1']);
  });

  it('P3 order: an offer that is left is refunded to its group', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one, { group: 'z' }));
    await world.park(...[0, 1, 2].map((i) => wish(`a${i}`, one, { group: 'a' })));
    await world.park(...[0, 1].map((i) => wish(`b${i}`, one, { group: 'b' })));
    await world.store.releaseSlot('x', lease, 'ok');
    expect(await world.stateOf('a0')).toBe('offered');
    await world.store.leavePlace('a0');
    expect(await world.stateOf('a1')).toBe('offered');
  });

  it('P3 order: the refund counts also when nobody else of the group waits at that moment', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one, { group: 'z' }));
    await world.park(wish('a0', one, { group: 'a' }));
    await world.park(...[0, 1].map((i) => wish(`b${i}`, one, { group: 'b' })));
    await world.store.releaseSlot('x', lease, 'ok');
    await world.store.leavePlace('a0');
    await world.park(wish('a1', one, { group: 'a' }));
    const b0 = await world.grant(wish('b0', one, { group: 'b' }));
    await world.store.releaseSlot('b0', b0, 'ok');
    expect(await world.statesOf('a1', 'b1')).toEqual(['offered', 'waiting']);
  });

  it.each(['fair', 'fifo'] as const)(
    'P3 order: two leases that run out at once free one slot for whoever came first, whichever cap each waits on (%s)',
    async (order) => {
      const world = newWorld({ order, leaseMs: 10_000 }).pinClock();
      const capsOf = (team: string) => [cap(1, team), cap(2)];
      await world.grant(wish('x', capsOf('team-a'), { group: 'a' }));
      await world.grant(wish('y', capsOf('team-b'), { group: 'b' }));
      await world.park(wish('b0', capsOf('team-b'), { group: 'b' }));
      await world.park(wish('a0', capsOf('team-a'), { group: 'a' }));
      await world.store.setLimit('asr', 1);
      world.advance(10_001);
      await world.sweep();
      expect(await world.statesOf('x', 'y')).toEqual(['lapsed', 'lapsed']);
      expect(await world.statesOf('b0', 'a0')).toEqual(['offered', 'waiting']);
    },
  );

  it('P3 order: also when those leases held the narrow caps alone, and the wide one was free all along', async () => {
    const world = newWorld({ leaseMs: 10_000 }).pinClock();
    await world.grant(wish('x', cap(1, 'team-a'), { group: 'a' }));
    await world.grant(wish('y', cap(1, 'team-b'), { group: 'b' }));
    await world.park(wish('b0', [cap(1, 'team-b'), cap(1)], { group: 'b' }));
    await world.park(wish('a0', [cap(1, 'team-a'), cap(1)], { group: 'a' }));
    world.advance(10_001);
    await world.sweep();
    expect(await world.statesOf('b0', 'a0')).toEqual(['offered', 'waiting']);
  });

  it('P3 order: ties between groups go by the ticket of the head, not by name', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', one, { group: 'm' }));
    await world.park(wish('z0', one, { group: 'z' }), wish('a0', one, { group: 'a' }));
    expect(await serveAll(world, one, 'x', lease)).toEqual(['z0', 'a0']);
  });

  it('P3 order: fifo is pure tickets, also over one release that frees fleet and team at once', async () => {
    const world = newWorld({ order: 'fifo' }).pinClock();
    const of = (team: string) => [cap(1, `g:${team}`), cap(1, 'g')];
    const lease = await world.grant(wish('a0', of('a'), { group: 'a' }));
    await world.park(wish('b1', of('b'), { group: 'b' }));
    await world.park(wish('a1', of('a'), { group: 'a' }));
    await world.store.releaseSlot('a0', lease, 'ok');
    expect(await world.statesOf('b1', 'a1')).toEqual(['offered', 'waiting']);
  });

  it('P3 order: fifo lets the older of two lanes go first when the narrower cap is the one that was freed', async () => {
    const world = newWorld({ order: 'fifo' }).pinClock();
    const of = (team: string) => [cap(1, `g:${team}`), cap(1, 'g')];
    const lease = await world.grant(wish('a0', of('a'), { group: 'a' }));
    await world.park(wish('a1', of('a'), { group: 'a' }));
    await world.park(wish('b1', of('b'), { group: 'b' }));
    await world.store.releaseSlot('a0', lease, 'ok');
    expect(await world.statesOf('a1', 'b1')).toEqual(['offered', 'waiting']);
  });

  it('P3 order: a lane that its own cap lets go takes part in the order of the wider one', async () => {
    const world = newWorld().pinClock();
    const of = (team: string) => [cap(1, `g:${team}`), cap(1, 'g')];
    const lease = await world.grant(wish('a0', of('a'), { group: 'a' }));
    await world.park(wish('a1', of('a'), { group: 'a' }));
    await world.park(wish('b1', of('b'), { group: 'b' }));
    await world.store.releaseSlot('a0', lease, 'ok');
    // Team a has just had its turn of the fleet.
    expect(await world.statesOf('a1', 'b1')).toEqual(['waiting', 'offered']);
  });

  it('P3 order: a turn that began in the queue of the own cap counts on the wider one too', async () => {
    const world = newWorld().pinClock();
    const of = (team: string) => [cap(2, `g:${team}`), cap(4, 'g')];
    const grantTo = (placeId: string) => world.grant(wish(placeId, of(placeId[0]!), { group: placeId[0]! }));
    await grantTo('c0');
    const a0 = await grantTo('a0');
    const a1 = await grantTo('a1');
    await world.park(wish('a2', of('a'), { group: 'a' }));
    await world.store.releaseSlot('a0', a0, 'ok');
    await grantTo('a2');
    await world.grant(wish('x', cap(4, 'g'), { group: 'x' }));
    await world.park(wish('a3', of('a'), { group: 'a' }), wish('c1', of('c'), { group: 'c' }));
    await world.store.releaseSlot('a1', a1, 'ok');
    // Team a has two slots, one of them from its own queue; team c has one.
    expect(await world.statesOf('a3', 'c1')).toEqual(['waiting', 'offered']);
  });

  it('P3 order: who joins late begins at the turn that is on, and has saved none up', async () => {
    const world = newWorld().pinClock();
    let lease = await world.grant(wish('x', one, { group: 'x' }));
    for (let i = 0; i < 6; i += 1)
      await world.park(wish(`a${i}`, one, { group: 'a' }), wish(`b${i}`, one, { group: 'b' }));
    let holder = 'x';
    for (const next of ['a0', 'b0', 'a1', 'b1', 'a2', 'b2']) {
      await world.store.releaseSlot(holder, lease, 'ok');
      lease = await world.grant(wish(next, one, { group: next.slice(0, 1) }));
      holder = next;
    }
    for (let i = 0; i < 4; i += 1) await world.park(wish(`c${i}`, one, { group: 'c' }));
    const order = await serveAll(world, one, holder, lease);
    expect(order.slice(0, 6).filter((placeId) => placeId.startsWith('c')).length).toBeLessThanOrEqual(3);
  });

  it('P3 order: slots taken before the others came count as turns', async () => {
    const world = newWorld().pinClock();
    const leases = [];
    for (const id of ['a0', 'a1', 'a2'])
      leases.push(await world.grant(wish(id, cap(3, 'g'), { group: 'a' })));
    await world.park(
      ...['a3', 'a4'].map((id) => wish(id, cap(3, 'g'), { group: 'a' })),
      ...['b0', 'b1', 'b2'].map((id) => wish(id, cap(3, 'g'), { group: 'b' })),
    );
    for (const [index, lease] of leases.entries()) await world.store.releaseSlot(`a${index}`, lease, 'ok');
    expect(await world.statesOf('b0', 'b1', 'b2', 'a3', 'a4')).toEqual([
      'offered',
      'offered',
      'offered',
      'waiting',
      'waiting',
    ]);
  });

  it('P3 order: who was alone for long owes the others no more than what the cap holds', async () => {
    const world = newWorld().pinClock();
    for (let i = 0; i < 10; i += 1) {
      await world.store.releaseSlot(
        `e${i}`,
        await world.grant(wish(`e${i}`, cap(1, 'g'), { group: 'a' })),
        'ok',
      );
    }
    const lease = await world.grant(wish('x', cap(1, 'g'), { group: 'a' }));
    await world.park(
      wish('a0', cap(1, 'g'), { group: 'a' }),
      ...['b0', 'b1', 'b2', 'b3'].map((id) => wish(id, cap(1, 'g'), { group: 'b' })),
    );
    expect((await serveAll(world, cap(1, 'g'), 'x', lease)).indexOf('a0')).toBeLessThanOrEqual(1);
  });

  it('P3 order: start tags belong to a cap: turns of a team on one endpoint cost it none on another', async () => {
    const world = newWorld().pinClock();
    for (let i = 0; i < 10; i += 1) {
      const lease = await world.grant(wish(`e${i}`, cap(1, 'east'), { group: 'a' }));
      await world.store.releaseSlot(`e${i}`, lease, 'ok');
    }
    const lease = await world.grant(wish('x', cap(1, 'west'), { group: 'z' }));
    await world.park(wish('a0', cap(1, 'west'), { group: 'a' }), wish('b0', cap(1, 'west'), { group: 'b' }));
    expect(await serveAll(world, cap(1, 'west'), 'x', lease)).toEqual(['a0', 'b0']);
  });

  it('P3 order: with unequal caps a team at its own cap does not save up turns against the others', async () => {
    const world = newWorld().pinClock();
    const of = (team: string) => [cap(team === 'a' ? 1 : 4, `g:${team}`), cap(2, 'g')];
    const a0 = await world.grant(wish('a0', of('a'), { group: 'a' }));
    let lease = await world.grant(wish('b0', of('b'), { group: 'b' }));
    await world.park(...[1, 2, 3].map((i) => wish(`a${i}`, of('a'), { group: 'a' })));
    await world.park(...[1, 2, 3, 4, 5, 6].map((i) => wish(`b${i}`, of('b'), { group: 'b' })));
    // b serves four in a row while a holds its only slot.
    for (let i = 0; i < 4; i += 1) {
      await world.store.releaseSlot(`b${i}`, lease, 'ok');
      lease = await world.grant(wish(`b${i + 1}`, of('b'), { group: 'b' }));
    }
    await world.store.releaseSlot('a0', a0, 'ok');
    expect(await world.stateOf('a1')).toBe('offered');
    await world.store.releaseSlot('b4', lease, 'ok');
    expect(await world.statesOf('a2', 'b5')).toEqual(['waiting', 'offered']);
  });

  it('P3 order: a turn counts on every cap of the request, also on those that were not the one it waited for', async () => {
    const world = newWorld().pinClock();
    const of = (team: string, limit: number) => [cap(limit, `g:${team}`), cap(2, 'g')];
    const a0 = await world.grant(wish('a0', of('a', 1), { group: 'a' }));
    await world.park(...[1, 2].map((i) => wish(`a${i}`, of('a', 1), { group: 'a' })));
    await world.store.releaseSlot('a0', a0, 'ok');
    const a1 = await world.grant(wish('a1', of('a', 1), { group: 'a' }));
    await world.grant(wish('z', of('z', 1), { group: 'z' }));
    await world.park(wish('b0', of('b', 1), { group: 'b' }));
    await world.store.setLimit('g:a', 2);
    await world.store.releaseSlot('a1', a1, 'ok');
    expect(await world.statesOf('a2', 'b0')).toEqual(['waiting', 'offered']);
  });

  it('P3 order: a head that cannot go does not hold up the other lanes of its cap', async () => {
    const world = newWorld().pinClock();
    const wide = [cap(1, 'team'), cap(2, 'end')];
    const l1 = await world.grant(wish('x', cap(2, 'end')));
    await world.grant(wish('y', cap(2, 'end')));
    await world.park(wish('w', wide));
    await world.park(wish('n', cap(2, 'end')));
    await world.store.setLimit('team', 1);
    const t = await world.ask(wish('t', cap(1, 'team')));
    expect(t.outcome).toBe('granted');
    await world.store.releaseSlot('x', l1, 'ok');
    expect(await world.statesOf('w', 'n')).toEqual(['waiting', 'offered']);
  });
});

describe('P14 tickets outlive Redis', () => {
  const newWorld = useWorlds();

  it('P14 tickets: rise, also within one microsecond and when the clock steps back', async () => {
    const world = newWorld().pinClock();
    await world.grant(wish('x', one));
    const tickets: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      if (i === 3) world.advance(-60_000);
      const reply = await world.ask(wish(`p${i}`, one));
      if (reply.outcome === 'parked') tickets.push(Number(reply.ticket));
    }
    expect(tickets).toEqual([...tickets].sort((a, b) => a - b));
    expect(new Set(tickets).size).toBe(5);
  });

  it('P14 tickets: a presented ticket keeps its place after a wipe, before those who came later', async () => {
    const world = newWorld().pinClock();
    await world.grant(wish('x', one));
    const early = await world.ask(wish('early', one));
    await world.wipe();
    const lease = await world.grant(wish('y', one));
    await world.park(wish('late', one));
    if (early.outcome !== 'parked') throw new Error('not parked');
    await world.park(wish('early', one, { ticket: early.ticket }));
    await world.store.releaseSlot('y', lease, 'ok');
    expect(await world.statesOf('early', 'late')).toEqual(['offered', 'waiting']);
  });

  it('P14 tickets: after a wipe with the clock stepped back, new tickets still come after presented ones', async () => {
    const world = newWorld().pinClock();
    await world.grant(wish('x', one));
    const old = await world.ask(wish('old', one));
    await world.wipe();
    world.advance(-3_600_000);
    await world.grant(wish('y', one));
    if (old.outcome !== 'parked') throw new Error('not parked');
    await world.park(wish('old', one, { ticket: old.ticket }));
    const fresh = await world.ask(wish('fresh', one));
    expect(fresh.outcome === 'parked' && Number(fresh.ticket) > Number(old.ticket)).toBe(true);
  });

  it('P14 tickets: an expired waiter entry costs nobody its place', async () => {
    const world = newWorld({ nextTryMs: 1_000, leaseMs: 3_600_000 }).pinClock();
    const lease = await world.grant(wish('x', one));
    const early = await world.ask(wish('early', one));
    world.advance(500_000);
    await world.park(wish('late', one));
    world.advance(110_000);
    await world.sweep();
    expect(await world.statesOf('early', 'late')).toEqual([undefined, 'waiting']);
    if (early.outcome !== 'parked') throw new Error('not parked');
    await world.park(wish('early', one, { ticket: early.ticket }));
    await world.store.releaseSlot('x', lease, 'ok');
    expect(await world.stateOf('early')).toBe('offered');
  });
});
