import { connectRedis } from '@app/redis';
import { eventually } from '../../../test/support/eventually';
import { RedisProxy } from '../../../test/support/redis-proxy';
import { RedisServer } from '../../../test/support/redis-server';
import { RateLimitCounts } from './rate-limit-counts';

describe('the counts of the rate limit', () => {
  let server: RedisServer;
  let proxy: RedisProxy;
  let counts: RateLimitCounts;

  beforeAll(async () => {
    server = await RedisServer.start();
    proxy = await RedisProxy.start(server.url);
    counts = new RateLimitCounts(connectRedis(proxy.url, 'commands', 'rate-test'));
    await eventually('it is connected', async () => (await hit('first')).totalHits > 0);
  });

  afterAll(async () => {
    counts.close();
    await proxy.close();
    await server.close();
  });

  const hit = (key: string) => counts.increment(key, 60_000, 2, 1_000, 'default');

  it('block who is over the limit, and nobody else', async () => {
    const hits = [await hit('a'), await hit('a'), await hit('a'), await hit('b')];
    expect(hits.map(({ isBlocked }) => isBlocked)).toEqual([false, false, true, false]);
    expect(hits.map(({ totalHits }) => totalHits)).toEqual([1, 2, 3, 1]);
  });

  it.each(['blackhole', 'refuse'] as const)(
    'fail open while Redis is away (%s): nobody is limited, until it is back',
    async (away) => {
      for (let calls = 0; calls < 3; calls += 1) await hit(away);
      await proxy[away]();
      for (let calls = 0; calls < 10; calls += 1) {
        expect(await hit(away)).toMatchObject({ isBlocked: false, totalHits: 0 });
      }
      await proxy.pass();
      await eventually('it counts again', async () => (await hit(away)).totalHits > 0);
    },
  );
});
