import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../../test/support/eventually';
import { RedisMonitor } from '../testing/redis-monitor';
import { useWorlds, wish, type SlotsWorld } from '../testing/slots-world';
import type { CapRequest } from '../slot-request';

const cap = (limit: number | null, name = 'llm'): CapRequest => ({ name, limit });
const stacked = (team: string) => [cap(2, `g:${team}`), cap(3, 'g'), cap(null, 'llm')];

/** A bit of everything: grants, parks, offers, gates, misses, overruns. */
async function useEverything(world: SlotsWorld): Promise<void> {
  const slots = await world.open({ onWake: () => Promise.resolve('busy') });
  const leases = [];
  for (const id of ['a', 'b']) leases.push(await slots.acquire(wish(id, stacked('t'), { group: 't' })));
  for (let i = 0; i < 5; i += 1) {
    await slots.acquireOrPark(
      wish(`p${i}`, stacked(`t${i % 2}`), { group: `t${i % 2}`, wake: 'w', work: 3 }),
    );
  }
  const inPlace = slots.acquire(wish('in-place', stacked('t'), { group: 't' })).catch(() => undefined);
  await leases[0]?.release();
  await leases[1]?.refuse({ endpointCap: 'llm', forMs: 50, reason: 'overloaded' });
  await slots.tryAcquire(wish('b2', stacked('u')));
  await sleep(60);
  await world.sweep();
  await slots.outlook('p3');
  await slots.snapshot();
  for (let i = 0; i < 5; i += 1) await slots.leave(`p${i}`);
  const lease = await inPlace;
  await lease?.release();
  await slots.onModuleDestroy();
}

describe('P9, P10, P12: clock, cost, keys', () => {
  const newWorld = useWorlds();

  it('P9 one clock: without a pinned time Redis decides, whatever this process believes', async () => {
    const world = newWorld({ leaseMs: 60_000 });
    const now = jest.spyOn(Date, 'now').mockReturnValue(5);
    try {
      await world.grant(wish('a', cap(1)));
    } finally {
      now.mockRestore();
    }
    const deadline = Number(await world.redis.zscore(`${world.root}:cap:llm:held`, 'a'));
    expect(Math.abs(deadline - 60_000 - Date.now())).toBeLessThan(5_000);
  });

  it('P12 one tag: every key touched carries it, and nothing is ever scanned', async () => {
    const world = newWorld();
    const monitor = await RedisMonitor.start(world.url);
    await useEverything(world);
    await world.redis.echo(world.prefix);
    await monitor.until(([name, word]) => name === 'echo' && word === world.prefix);
    monitor.close();
    const others = ['echo', 'eval', 'evalsha', 'fcall', 'function', 'publish', 'subscribe', 'script'];
    const ours = monitor.commands.filter((args) => args.some((arg) => arg.includes(world.prefix)));
    const names = new Set(ours.map(([name]) => name!.toLowerCase()));
    expect(ours.length).toBeGreaterThan(300);
    expect(names.has('keys') || names.has('scan')).toBe(false);
    const untagged = ours
      .filter(([name]) => !others.includes(name!.toLowerCase()))
      .filter(([, key]) => !key!.startsWith(`${world.root}:`));
    expect(untagged).toEqual([]);
  });

  it('P10 cost: every key has an expiry, while it is used and after', async () => {
    const world = newWorld();
    await world.grant(wish('a', stacked('t')));
    await world.grant(wish('b', stacked('t')));
    await world.park(wish('c', stacked('t'), { wake: 'w' }));
    for (const key of await world.keys())
      expect([key, (await world.redis.pttl(key)) > 0]).toEqual([key, true]);
    await useEverything(world);
    for (const key of await world.keys())
      expect([key, (await world.redis.pttl(key)) > 0]).toEqual([key, true]);
  });

  it('P10 cost: the start tags expire also where a group left the line before anybody was served', async () => {
    const world = newWorld().pinClock();
    await world.store.refuseSlot('x', '1', { endpointCap: 'llm', forMs: 60_000, reason: 'rate_limited' });
    await world.park(wish('a', cap(1)));
    await world.store.leavePlace('a');
    for (const key of await world.keys())
      expect([key, (await world.redis.pttl(key)) > 0]).toEqual([key, true]);
  });

  it('P10 cost: after the idle time no key is left, overrides aside', async () => {
    const world = newWorld({ idleMs: 300, leaseMs: 200, nextTryMs: 1 });
    await useEverything(world);
    await world.store.setLimit('g', 3);
    await world.store.setLimit('g', null);
    await world.store.setLimit('kept', 7);
    const left = async () => (await world.keys()).filter((key) => !key.includes(':place:'));
    await eventually('nothing but the override is left', async () => (await left()).length <= 1);
    expect(await left()).toEqual([`${world.root}:cap:kept`]);
  });

  it('P10 cost: an admission takes as many commands with 2,000 parked as with 10', async () => {
    const cost = async (parked: number, caps: CapRequest[]) => {
      const world = newWorld();
      let lease = await world.grant(wish('x', caps));
      for (let from = 0; from < parked; from += 200) {
        await Promise.all(
          Array.from({ length: Math.min(200, parked - from) }, (_, i) =>
            world.ask(wish(`p${from + i}`, caps)),
          ),
        );
      }
      const commands = await countCommands(world, async () => {
        await world.ask(wish('new', caps));
        await world.store.releaseSlot('x', lease, 'ok');
        const [next] = await world.offers(caps.at(-1)!.name);
        lease = await world.grant(wish(next!, caps));
      });
      return commands;
    };
    const few = await cost(10, [cap(1)]);
    const many = await cost(2_000, [cap(1)]);
    const three = await cost(10, [cap(4, 'team'), cap(8, 'fleet'), cap(1)]);
    expect(many).toBeLessThanOrEqual(few + 2);
    expect({ few: few <= 75, three: three <= 105 }).toEqual({ few: true, three: true });
  }, 60_000);
});

async function countCommands(world: SlotsWorld, work: () => Promise<void>): Promise<number> {
  const monitor = await RedisMonitor.start(world.url);
  await work();
  await world.redis.echo(world.prefix);
  await monitor.until(([name, word]) => name === 'echo' && word === world.prefix);
  monitor.close();
  const isOurs = (args: readonly string[]): boolean => args.some((arg) => arg.includes(world.prefix));
  return monitor.commands.filter((args) => isOurs(args) || args[0]?.toLowerCase() === 'time').length - 1;
}
