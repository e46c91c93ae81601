import { useWorlds, wish } from '../testing/slots-world';
import { toStored } from '../slot-records';
import type { CapRequest } from '../slot-request';

const cap = (limit: number | null, name = 'asr'): CapRequest => ({ name, limit });
const one = cap(1);
const LEASE_MS = 10_000;

function recordOf(placeId: string, leaseId: string, caps: CapRequest[] = [one]) {
  return {
    ...toStored(wish(placeId, caps), `nonce of ${leaseId}`),
    leaseId,
    ticket: leaseId,
    leaseMs: LEASE_MS,
    degraded: false,
  };
}

describe('P6 crash, P7 idempotence, P8 overrun', () => {
  const newWorld = useWorlds();
  const world_ = () => newWorld({ leaseMs: LEASE_MS, claimMs: 2_000, nextTryMs: 1_000 }).pinClock();

  it('P6 crash: a dead holder’s slot is free after its lease, not before, and serves the next', async () => {
    const world = world_();
    await world.grant(wish('a', one));
    await world.park(wish('b', one));
    world.advance(LEASE_MS - 1);
    await world.sweep();
    expect(await world.stateOf('b')).toBe('waiting');
    world.advance(1);
    await world.sweep();
    expect(await world.statesOf('a', 'b')).toEqual(['lapsed', 'offered']);
  });

  it('P6 crash: an unclaimed offer goes on to the next after its claim deadline', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one), wish('c', one));
    await world.store.releaseSlot('a', lease, 'ok');
    world.advance(2_000);
    await world.sweep();
    expect(await world.statesOf('b', 'c')).toEqual(['aside', 'offered']);
    expect(await world.held('asr')).toBe(1);
  });

  it('P6 crash: a dead waiter’s place is gone after its next expected try and 10 minutes', async () => {
    const world = newWorld({ leaseMs: 3_600_000, nextTryMs: 1_000 }).pinClock();
    await world.grant(wish('a', one));
    await world.park(wish('b', one));
    world.advance(600_999);
    await world.sweep();
    expect(await world.stateOf('b')).toBe('waiting');
    world.advance(1);
    await world.sweep();
    expect(await world.stateOf('b')).toBeUndefined();
  });

  it('a wait begins once: re-queues and missed offers keep its start', async () => {
    const world = world_();
    const startedAt = world.nowMs;
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one));
    world.advance(1_000);
    await world.park(wish('b', one));
    expect(await world.store.viewOutlook('b')).toMatchObject({ sinceMs: startedAt });
    await world.store.releaseSlot('a', lease, 'ok');
    world.advance(2_000);
    await world.sweep();
    expect(await world.stateOf('b')).toBe('aside');
    const reply = await world.ask(wish('b', one));
    expect(reply).toMatchObject({ outcome: 'granted', waitedMs: 3_000 });
  });

  it('P6 crash: a place that expires by its own time is gone, waiting or offered, and the next is served', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.park(
      wish('b', one, { expiresInMs: 500 }),
      wish('c', one, { expiresInMs: 1_000 }),
      wish('d', one),
    );
    world.advance(500);
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.statesOf('b', 'c')).toEqual([undefined, 'offered']);
    world.advance(500);
    await world.sweep();
    expect(await world.statesOf('c', 'd')).toEqual([undefined, 'offered']);
  });

  it('FC-28: a dead lease expires although there is traffic on the same cap', async () => {
    const world = world_();
    await world.grant(wish('dead', cap(2)));
    for (let second = 0; second < 12; second += 1) {
      world.advance(1_000);
      const lease = await world.grant(wish(`short${second}`, cap(2)), 'try');
      expect(await world.held('asr')).toBe(second < 9 ? 2 : 1);
      await world.store.releaseSlot(`short${second}`, lease, 'ok');
    }
  });

  it('P7 idempotence: releasing twice, or by a stranger, frees nothing that belongs to another', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    expect(await world.store.releaseSlot('a', '12345', 'ok')).toBeNull();
    expect(await world.held('asr')).toBe(1);
    expect(await world.store.releaseSlot('a', lease, 'ok')).not.toBeNull();
    await world.grant(wish('b', one));
    expect(await world.store.releaseSlot('a', lease, 'ok')).toBeNull();
    expect(await world.store.releaseSlot('b', lease, 'ok')).toBeNull();
    expect(await world.held('asr')).toBe(1);
  });

  it('P7 idempotence: releasing after expiry frees nothing of the next holder', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    world.advance(LEASE_MS);
    await world.grant(wish('b', one));
    expect(await world.store.releaseSlot('a', lease, 'ok')).toBeNull();
    expect(await world.held('asr')).toBe(1);
  });

  it('P7 idempotence: the same call asking twice on a full cap gets the same lease, and takes no second slot', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one), 'park', 'n1');
    expect(await world.grant(wish('a', one), 'park', 'n1')).toBe(lease);
    expect(await world.held('asr')).toBe(1);
  });

  it('P7 idempotence: another attempt of the same place takes the lease over on a full cap', async () => {
    const world = world_();
    const old = await world.grant(wish('a', one), 'park', 'n1');
    const fresh = await world.grant(wish('a', one), 'park', 'n2');
    expect(Number(fresh)).toBeGreaterThan(Number(old));
    expect(await world.held('asr')).toBe(1);
    expect(await world.store.releaseSlot('a', old, 'ok')).toBeNull();
    expect((await world.store.renewLeases([recordOf('a', old)], [])).leases).toEqual(['lost']);
    expect((await world.store.renewLeases([recordOf('a', fresh)], [])).leases).toEqual(['held']);
  });

  it('P7 idempotence: a predecessor thawed after its re-run has ended finds that it lost', async () => {
    const world = world_();
    const old = await world.grant(wish('a', one), 'park', 'n1');
    const fresh = await world.grant(wish('a', one), 'park', 'n2');
    await world.store.releaseSlot('a', fresh, 'ok');
    expect((await world.store.renewLeases([recordOf('a', old)], [])).leases).toEqual(['lost']);
    expect(await world.store.reassertLease(recordOf('a', old))).toBe('lost');
    expect(await world.held('asr')).toBe(0);
  });

  it('P7 idempotence: a worker frozen past its lease while its job re-runs frees and renews nothing when it thaws', async () => {
    const world = world_();
    const old = await world.grant(wish('a', one), 'park', 'n1');
    world.advance(LEASE_MS);
    const fresh = await world.grant(wish('a', one), 'park', 'n2');
    expect(await world.store.releaseSlot('a', old, 'ok')).toBeNull();
    expect((await world.store.renewLeases([recordOf('a', old)], [])).leases).toEqual(['lost']);
    expect((await world.store.renewLeases([recordOf('a', fresh)], [])).leases).toEqual(['held']);
  });

  it('P7 idempotence: nor does it when its lease had run out before the re-run began, and that has ended too', async () => {
    const world = world_();
    const old = await world.grant(wish('a', one), 'park', 'n1');
    world.advance(LEASE_MS);
    await world.sweep();
    const fresh = await world.grant(wish('a', one), 'park', 'n2');
    await world.store.releaseSlot('a', fresh, 'ok');
    expect((await world.store.renewLeases([recordOf('a', old)], [])).leases).toEqual(['lost']);
    expect(await world.store.reassertLease(recordOf('a', old))).toBe('lost');
    expect(await world.held('asr')).toBe(0);
  });

  it('P7 idempotence: who asks late, but before anybody noticed, still has its slot', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one), 'park', 'n1');
    await world.park(wish('b', one));
    world.advance(LEASE_MS + 1);
    expect(await world.grant(wish('a', one), 'park', 'n1')).toBe(lease);
    world.advance(LEASE_MS + 1);
    expect((await world.ask(wish('a', one), 'park', 'n2')).outcome).toBe('granted');
    expect(await world.stateOf('b')).toBe('waiting');
  });

  it('P7 idempotence: a re-run that is parked makes the old lease lost', async () => {
    const world = world_();
    const old = await world.grant(wish('a', one), 'park', 'n1');
    world.advance(LEASE_MS);
    await world.grant(wish('b', one));
    await world.park(wish('a', one));
    expect((await world.store.renewLeases([recordOf('a', old)], [])).leases).toEqual(['lost']);
    expect(await world.store.reassertLease(recordOf('a', old))).toBe('lost');
  });

  it('P7 idempotence: leave frees an offer for the next, leaves a held place alone, and may be said twice', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one), wish('c', one));
    expect(await world.store.leavePlace('a')).toBe(false);
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.store.leavePlace('b')).toBe(true);
    expect(await world.store.leavePlace('b')).toBe(false);
    expect(await world.statesOf('b', 'c')).toEqual([undefined, 'offered']);
  });

  it('P7 idempotence: drop forgets a held place too: the next is served, and the holder learns that it lost', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one), wish('c', one));
    await world.store.dropPlace('b');
    await world.store.dropPlace('a');
    expect(await world.statesOf('b', 'c')).toEqual([undefined, 'offered']);
    expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['lost']);
    await world.store.dropPlace('c');
    expect([await world.held('asr'), await world.stateOf('c')]).toEqual([0, undefined]);
  });

  it('P7 idempotence: an in-place waiter that ends before its claim lands releases its offer as a hold', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one), wish('c', one));
    await world.store.releaseSlot('a', lease, 'ok');
    const offered = await world.redis.hget(`${world.root}:place:b`, 'leaseId');
    expect((await world.store.renewLeases([recordOf('b', offered!)], [])).leases).toEqual(['held']);
    expect(await world.store.releaseSlot('b', offered!, 'ok')).not.toBeNull();
    expect(await world.stateOf('c')).toBe('offered');
  });

  it('P8 overrun: late but not yet swept is still the holder’s own', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.park(wish('b', one));
    world.advance(LEASE_MS + 1);
    expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['held']);
    expect(await world.stateOf('b')).toBe('waiting');
  });

  it('P8 overrun: too late with room, the lease is taken again', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    world.advance(LEASE_MS);
    await world.sweep();
    expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['held']);
    expect(await world.held('asr')).toBe(1);
  });

  it('FC-26 P8 overrun: too late without room it is an overrun: counted for admission, never as held', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    world.advance(LEASE_MS);
    const other = await world.grant(wish('b', one));
    expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['overrun']);
    expect(await world.held('asr')).toBe(1);
    await world.store.releaseSlot('b', other, 'ok');
    expect(await world.ask(wish('c', one), 'try')).toMatchObject({ outcome: 'busy' });
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.ask(wish('c', one), 'try')).toMatchObject({ outcome: 'granted' });
  });

  it('P8 overrun: renewed twice on a full cap it is one overrun, and becomes held when there is room', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    world.advance(LEASE_MS);
    const other = await world.grant(wish('b', one));
    for (let i = 0; i < 2; i += 1) {
      expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['overrun']);
    }
    expect(await world.redis.zcard(`${world.root}:cap:asr:overrun`)).toBe(1);
    await world.store.releaseSlot('b', other, 'ok');
    expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['held']);
    expect(await world.redis.zcard(`${world.root}:cap:asr:overrun`)).toBe(0);
    expect(await world.held('asr')).toBe(1);
  });

  it('P8 overrun: whoever holds one hears of it, and its work goes on', async () => {
    const world = newWorld({ leaseMs: 300 });
    const slots = await world.open();
    const lease = await slots.acquire(wish('a', one));
    const heard = new Promise<string>((resolve) => {
      lease.onOverrun(() => resolve('overrun'));
      lease.signal.addEventListener('abort', () => resolve('aborted'));
    });
    // A renewal may come in between and take the slot again.
    do await world.wipe();
    while ((await world.ask(wish('b', one, { leaseMs: 60_000 }))).outcome !== 'granted');
    expect(await heard).toBe('overrun');
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
    expect(await world.held('asr')).toBe(1);
  });

  it('P8 overrun: an overrun that is renewed no more expires too', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    world.advance(LEASE_MS);
    const other = await world.grant(wish('b', one));
    await world.store.renewLeases([recordOf('a', lease)], []);
    await world.store.releaseSlot('b', other, 'ok');
    world.advance(LEASE_MS);
    expect((await world.ask(wish('c', one), 'try')).outcome).toBe('granted');
  });

  it('P11: a holder coming back after a wipe and refill is an overrun, and no new call is admitted above the limit', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.wipe();
    const other = await world.grant(wish('b', one));
    expect((await world.store.renewLeases([recordOf('a', lease)], [])).leases).toEqual(['unknown']);
    expect(await world.store.reassertLease(recordOf('a', lease))).toBe('overrun');
    await world.store.releaseSlot('b', other, 'ok');
    expect((await world.ask(wish('c', one), 'try')).outcome).toBe('busy');
    await world.store.releaseSlot('a', lease, 'ok');
    expect((await world.ask(wish('c', one), 'try')).outcome).toBe('granted');
  });

  it('P11: after a wipe with the clock stepped back, lease ids still come after those that were re-asserted', async () => {
    const world = world_();
    const lease = await world.grant(wish('a', one));
    await world.wipe();
    world.advance(-3_600_000);
    await world.store.reassertLease(recordOf('a', lease));
    const fresh = await world.grant(wish('a', one), 'park', 'a re-run');
    expect(Number(fresh)).toBeGreaterThan(Number(lease));
    expect(await world.store.reassertLease(recordOf('a', lease))).toBe('lost');
  });

  it('P11: after a wipe the later lease is not told that it lost to a predecessor that renewed first', async () => {
    const world = world_();
    const old = await world.grant(wish('a', one), 'park', 'n1');
    const fresh = await world.grant(wish('a', one), 'park', 'n2');
    await world.wipe();
    expect(await world.store.reassertLease(recordOf('a', old))).toBe('held');
    expect((await world.store.renewLeases([recordOf('a', fresh)], [])).leases).toEqual(['unknown']);
    expect(await world.store.reassertLease(recordOf('a', fresh))).toBe('held');
    expect((await world.store.renewLeases([recordOf('a', old)], [])).leases).toEqual(['lost']);
    expect(await world.held('asr')).toBe(1);
  });

  it('P11: after a wipe the later of two leases on one place wins, whoever comes first', async () => {
    for (const order of [['old', 'fresh'] as const, ['fresh', 'old'] as const]) {
      const world = world_();
      const old = await world.grant(wish('a', one), 'park', 'n1');
      const fresh = await world.grant(wish('a', one), 'park', 'n2');
      await world.wipe();
      const said = new Map<string, string>();
      for (const who of [...order, ...order]) {
        said.set(who, await world.store.reassertLease(recordOf('a', who === 'old' ? old : fresh)));
      }
      expect([said.get('old'), said.get('fresh')]).toEqual(['lost', 'held']);
      expect(await world.held('asr')).toBe(1);
    }
  });
});
