import { connectRedis } from '@app/redis';
import type Redis from 'ioredis';
import { RedisServer } from '../../../test/support/redis-server';
import { SlotsWorld, wish } from './testing/slots-world';

const cap = { name: 'llm', limit: 1 };

/** How often the server ran each command so far. */
async function callsOf(redis: Redis, command: string): Promise<number> {
  const info = await redis.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}

describe('the ways a script reaches Redis', () => {
  const worlds: SlotsWorld[] = [];
  let server: RedisServer;
  let admin: Redis;
  const user = 'without-functions';

  function newWorld(url = server.url): SlotsWorld {
    const world = new SlotsWorld({}, url);
    worlds.push(world);
    return world;
  }

  /** As an account that may do all but use functions; `how` says what Redis is to answer it. */
  async function worldWithoutFunctions(): Promise<SlotsWorld> {
    await admin.call('ACL', 'SETUSER', user, 'on', '>pw', '~*', '&*', '+@all', '-fcall', '-function');
    const url = new URL(server.url);
    url.username = user;
    url.password = 'pw';
    return newWorld(url.href);
  }

  async function handOver(world: SlotsWorld): Promise<void> {
    const lease = await world.grant(wish('a', cap));
    await world.park(wish('b', cap));
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.stateOf('b')).toBe('offered');
  }

  // Of its own: what is flushed here would be missed elsewhere.
  beforeAll(async () => {
    server = await RedisServer.start();
    admin = connectRedis(server.url, 'blocking', 'script-runner-test');
  });

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  afterAll(async () => {
    admin.disconnect();
    await server.close();
  });

  it('is a function of one library, loaded once for all processes of a release', async () => {
    const world = newWorld();
    await handOver(world);
    const libraries = (await admin.function('LIST')) as string[][];
    const [before, sent] = [libraries.length, await callsOf(admin, 'evalsha')];
    await handOver(newWorld());
    expect(await admin.function('LIST')).toHaveLength(before);
    expect(await callsOf(admin, 'evalsha')).toBe(sent);
  });

  it('is loaded anew when the server has lost it', async () => {
    const world = newWorld();
    const lease = await world.grant(wish('a', cap));
    await admin.function('FLUSH');
    await admin.script('FLUSH');
    // Two at once: only one of them can load it.
    await Promise.all([world.park(wish('b', cap)), world.park(wish('c', cap))]);
    await admin.function('FLUSH');
    await world.store.releaseSlot('a', lease, 'ok');
    expect((await world.statesOf('b', 'c')).sort()).toEqual(['offered', 'waiting']);
  });

  it('fails nobody when the library is lost again before it can be called', async () => {
    const world = newWorld();
    let isOver = false;
    const flushing = (async () => {
      while (!isOver) await admin.function('FLUSH');
    })();
    await Promise.all(Array.from({ length: 200 }, (_, i) => world.ask(wish(`p${i}`, cap))));
    isOver = true;
    await flushing;
    expect(await world.redis.zcard(`${world.root}:cap:llm:held`)).toBe(1);
  });

  it('is a script of the same text where functions are not to be had, and is sent again after SCRIPT FLUSH', async () => {
    const world = await worldWithoutFunctions();
    const before = await callsOf(admin, 'evalsha');
    await handOver(world);
    await admin.script('FLUSH');
    expect(await world.store.leavePlace('b')).toBe(true);
    expect(await callsOf(admin, 'evalsha')).toBeGreaterThan(before);
  });

  it('says what Redis says when neither is allowed', async () => {
    const world = await worldWithoutFunctions();
    await admin.call('ACL', 'SETUSER', user, '-evalsha', '-eval');
    await expect(world.ask(wish('a', cap))).rejects.toThrow(/NOPERM/);
  });

  it('begins each call anew: what was read under one prefix is not known under another', async () => {
    const [one, other] = [newWorld(), newWorld()];
    await one.grant(wish('a', cap));
    await other.grant(wish('a', cap));
    await one.park(wish('b', cap));
  });

  it('begins each call anew: an error in one leaves nothing for the next', async () => {
    const world = newWorld();
    const lease = await world.grant(wish('a', cap));
    await world.redis.set(`${world.root}:cap:broken:held`, 'not a sorted set');
    await expect(world.ask(wish('x', { name: 'broken', limit: 1 }))).rejects.toThrow(/WRONGTYPE/);
    await world.park(wish('b', cap));
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.stateOf('b')).toBe('offered');
  });
});
