import { RedisServer } from '../../../test/support/redis-server';
import { SlotsWorld, wish } from './testing/slots-world';

const cap = { name: 'llm', limit: 1 };

describe('a Redis that has no memory left', () => {
  let server: RedisServer;
  let world: SlotsWorld;

  beforeAll(async () => {
    server = await RedisServer.start();
    world = new SlotsWorld({}, server.url);
  });

  afterAll(async () => {
    await world.close();
    await server.close();
  });

  it('still gives slots back and hands them over', async () => {
    const lease = await world.grant(wish('a', cap));
    await world.park(wish('b', cap));
    await world.redis.config('SET', 'maxmemory', '1');
    await expect(world.redis.set('x', 'y')).rejects.toThrow(/OOM/);
    await world.store.releaseSlot('a', lease, 'ok');
    expect(await world.stateOf('b')).toBe('offered');
    await world.grant(wish('b', cap));
  });
});
