import { useWorlds, wish, type SlotsWorld } from '../testing/slots-world';
import type { CapRequest } from '../slot-request';

const cap = (limit: number | null, name = 'llm'): CapRequest => ({ name, limit });
const GATE_MS = 10_000;
const gate = { endpointCap: 'llm', forMs: GATE_MS, reason: 'rate_limited' };

describe('P13 gate', () => {
  const newWorld = useWorlds();

  async function closed(limit: number | null, waiters: number) {
    const world = newWorld({ leaseMs: 60_000, claimMs: 2_000 }).pinClock();
    const lease = await world.grant(wish('x', cap(limit)));
    await world.store.refuseSlot('x', lease, gate);
    for (let i = 0; i < waiters; i += 1) await world.park(wish(`p${i}`, cap(limit)));
    return world;
  }

  async function offered(world: SlotsWorld): Promise<string[]> {
    return (await world.offers('llm')).sort();
  }

  it('P13 gate: refusal gives the lease back and closes the gate in one step', async () => {
    const world = newWorld().pinClock();
    const lease = await world.grant(wish('x', cap(1)));
    await world.park(wish('p', cap(1)));
    await world.store.refuseSlot('x', lease, gate);
    expect(await world.held('llm')).toBe(0);
    expect(await world.stateOf('p')).toBe('waiting');
    expect(await world.ask(wish('y', cap(1)), 'try')).toMatchObject({
      outcome: 'busy',
      reason: 'gate',
      gateReason: 'rate_limited',
      retryAfterMs: GATE_MS,
    });
  });

  it('P13 gate: a refusal that releases into a full queue admits nobody', async () => {
    const world = newWorld().pinClock();
    const leases = [await world.grant(wish('x', cap(2))), await world.grant(wish('y', cap(2)))];
    await world.park(...['a', 'b', 'c'].map((id) => wish(id, cap(2))));
    await world.store.refuseSlot('x', leases[0]!, gate);
    await world.store.releaseSlot('y', leases[1]!, 'ok');
    expect(await world.statesOf('a', 'b', 'c')).toEqual(['waiting', 'waiting', 'waiting']);
  });

  it('P13 gate: unclaimed offers are taken back with their tickets, more than 64 of them by continuation', async () => {
    const world = newWorld().pinClock();
    const leases: string[] = [];
    for (let i = 0; i < 200; i += 1) leases.push(await world.grant(wish(`x${i}`, cap(200))));
    for (let i = 0; i < 199; i += 1) await world.park(wish(`p${i}`, cap(200)));
    for (let i = 0; i < 199; i += 1) await world.store.releaseSlot(`x${i}`, leases[i]!, 'ok');
    expect(await offered(world)).toHaveLength(199);
    await world.store.refuseSlot('x199', leases[199]!, gate);
    expect(await offered(world)).toHaveLength(199 - 64);
    const [late] = (await offered(world)).slice(-1);
    // Its own script takes 64 back first, and not this one.
    expect((await world.ask(wish(late!, cap(200)))).outcome).toBe('parked');
    await world.sweep();
    expect(await offered(world)).toEqual([]);
    expect(await world.held('llm')).toBe(0);
    world.advance(GATE_MS);
    await world.sweep();
    expect(await offered(world)).toEqual(['p0']);
  });

  it('P13 gate: a claim after closing is parked again', async () => {
    const world = newWorld().pinClock();
    const [x, y] = [await world.grant(wish('x', cap(2))), await world.grant(wish('y', cap(2)))];
    await world.park(wish('p', cap(2)));
    await world.store.releaseSlot('x', x, 'ok');
    expect(await world.stateOf('p')).toBe('offered');
    await world.store.refuseSlot('y', y, gate);
    expect(await world.ask(wish('p', cap(2)))).toMatchObject({ outcome: 'parked', reason: 'gate' });
  });

  it('P13 gate: a later, shorter hint never shortens it', async () => {
    const world = newWorld().pinClock();
    const [x, y] = [await world.grant(wish('x', cap(2))), await world.grant(wish('y', cap(2)))];
    await world.store.refuseSlot('x', x, gate);
    await world.store.refuseSlot('y', y, { ...gate, forMs: 1_000 });
    expect(await world.ask(wish('z', cap(2)), 'try')).toMatchObject({ retryAfterMs: GATE_MS });
  });

  it('P13 gate: at its end one probe goes, also between two sweeps while a newcomer asks', async () => {
    const world = await closed(4, 3);
    world.advance(GATE_MS);
    expect((await world.ask(wish('new', cap(4)), 'try')).outcome).toBe('busy');
    expect(await offered(world)).toEqual(['p0']);
  });

  it('P13 gate: with nobody waiting the newcomer is the probe, and the second one is refused', async () => {
    const world = await closed(4, 0);
    world.advance(GATE_MS);
    expect((await world.ask(wish('a', cap(4)), 'try')).outcome).toBe('granted');
    expect(await world.ask(wish('b', cap(4)), 'try')).toMatchObject({ outcome: 'busy', reason: 'gate' });
  });

  it('P13 gate: a probe that ends well opens it for the rest', async () => {
    const world = await closed(2, 3);
    world.advance(GATE_MS);
    await world.sweep();
    const probe = await world.grant(wish('p0', cap(2)));
    world.advance(1_000);
    await world.store.releaseSlot('p0', probe, 'ok');
    expect(await offered(world)).toEqual(['p1', 'p2']);
  });

  it('P13 gate: a probe is accepted 5 s after its claim, not after its offer', async () => {
    const world = await closed(4, 3);
    world.advance(GATE_MS);
    await world.sweep();
    world.advance(1_900);
    await world.grant(wish('p0', cap(4)));
    world.advance(4_999);
    await world.sweep();
    expect(await offered(world)).toEqual([]);
    world.advance(1);
    await world.sweep();
    expect(await offered(world)).toEqual(['p1', 'p2']);
  });

  it.each(['failed', 'aborted'] as const)(
    'P13 gate: a probe that ended %s says nothing: another one goes',
    async (outcome) => {
      const world = await closed(4, 3);
      world.advance(GATE_MS);
      await world.sweep();
      const probe = await world.grant(wish('p0', cap(4)));
      await world.store.releaseSlot('p0', probe, outcome);
      expect(await offered(world)).toEqual(['p1']);
    },
  );

  it('P13 gate: a probe’s mark goes with its lease, and with its unclaimed offer', async () => {
    const world = await closed(4, 3);
    world.advance(GATE_MS);
    await world.sweep();
    world.advance(2_000);
    await world.sweep();
    expect(await offered(world)).toEqual(['p1']);
    await world.store.leavePlace('p1');
    expect(await offered(world)).toEqual(['p2']);
  });

  it('P13 gate: a take-over of the probe moves its mark and starts its 5 s anew', async () => {
    const world = await closed(4, 3);
    world.advance(GATE_MS);
    await world.sweep();
    await world.grant(wish('p0', cap(4)), 'park', 'n1');
    world.advance(4_000);
    await world.grant(wish('p0', cap(4)), 'park', 'n2');
    world.advance(4_000);
    await world.sweep();
    expect(await offered(world)).toEqual([]);
    world.advance(1_000);
    await world.sweep();
    expect(await offered(world)).toEqual(['p1', 'p2']);
  });

  it('P13 gate: a refusal by somebody else cancels an outstanding probe’s mark', async () => {
    const world = newWorld({ leaseMs: 60_000 }).pinClock();
    const [x, y] = [await world.grant(wish('x', cap(4))), await world.grant(wish('y', cap(4)))];
    await world.store.refuseSlot('x', x, gate);
    await world.park(wish('p0', cap(4)), wish('p1', cap(4)));
    world.advance(GATE_MS);
    await world.sweep();
    const probe = await world.grant(wish('p0', cap(4)));
    await world.store.refuseSlot('y', y, gate);
    await world.store.releaseSlot('p0', probe, 'ok');
    expect(await offered(world)).toEqual([]);
    world.advance(6_000);
    await world.sweep();
    expect(await offered(world)).toEqual([]);
  });

  it('P13 gate: an uncapped endpoint opens with 1, 2, 4, …', async () => {
    const world = await closed(null, 20);
    world.advance(GATE_MS);
    await world.sweep();
    const waves: number[] = [];
    for (let wave = 0; wave < 4; wave += 1) {
      const places = await offered(world);
      waves.push(places.length);
      const leases = [];
      for (const place of places) leases.push([place, await world.grant(wish(place, cap(null)))] as const);
      for (const [place, lease] of leases) await world.store.releaseSlot(place, lease, 'ok');
    }
    expect(waves).toEqual([1, 2, 4, 8]);
    for (const place of await offered(world)) {
      await world.store.releaseSlot(place, await world.grant(wish(place, cap(null))), 'ok');
    }
    for (let i = 0; i < 40; i += 1) await world.grant(wish(`free${i}`, cap(null)), 'try');
  });

  it('P13 gate: a refusal from a stale lease frees nothing but closes the gate', async () => {
    const world = newWorld().pinClock();
    const old = await world.grant(wish('a', cap(2)), 'park', 'n1');
    await world.grant(wish('a', cap(2)), 'park', 'n2');
    await world.store.refuseSlot('a', old, gate);
    expect(await world.held('llm')).toBe(1);
    expect(await world.ask(wish('b', cap(2)), 'try')).toMatchObject({ reason: 'gate' });
  });

  it('P13 gate: a take-over inside it gives the lease back and parks', async () => {
    const world = newWorld().pinClock();
    const x = await world.grant(wish('x', cap(2)));
    await world.grant(wish('a', cap(2)), 'park', 'n1');
    await world.store.refuseSlot('x', x, gate);
    expect(await world.ask(wish('a', cap(2)), 'park', 'n2')).toMatchObject({
      outcome: 'parked',
      reason: 'gate',
    });
    expect(await world.held('llm')).toBe(0);
  });

  it('P13 gate: a claim that may not wait leaves its place aside, and its slot free', async () => {
    const world = newWorld().pinClock();
    const [x, y] = [await world.grant(wish('x', cap(2))), await world.grant(wish('y', cap(2)))];
    await world.store.refuseSlot('x', x, gate);
    expect(await world.ask(wish('y', cap(2)), 'try', 'again')).toMatchObject({
      outcome: 'busy',
      reason: 'gate',
    });
    expect([await world.stateOf('y'), await world.held('llm')]).toEqual(['aside', 0]);
    expect(await world.store.releaseSlot('y', y, 'ok')).toBeNull();
  });

  it('P13 gate: refusals are no turnover, so that waiting before a wall can end', async () => {
    const world = await closed(1, 0);
    const turnover = async () => {
      const reply = await world.ask(wish('w', cap(1)));
      return reply.outcome === 'parked' ? reply.turnover : undefined;
    };
    const before = await turnover();
    await world.store.leavePlace('w');
    world.advance(GATE_MS);
    const probe = await world.grant(wish('probe', cap(1)));
    await world.store.refuseSlot('probe', probe, gate);
    expect(await turnover()).toBe(before);
  });
});
