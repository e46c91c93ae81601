import Redis from 'ioredis';
import { RedisServer } from './redis-server';

describe('RedisServer', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.close());

  async function withRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    // Without the short disconnectTimeout ioredis keeps Jest alive for 2 s after a refused connection.
    const redis = new Redis(server.url, {
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      disconnectTimeout: 50,
    });
    redis.on('error', () => undefined);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  it('starts again under the same address with what it held, also after a kill', async () => {
    await withRedis((redis) => redis.set('kept', 'yes'));
    await server.kill();
    await expect(withRedis((redis) => redis.ping())).rejects.toThrow();
    await server.startAgain();

    expect(await withRedis((redis) => redis.get('kept'))).toBe('yes');

    await server.stop();
    await server.startAgain();
    expect(await withRedis((redis) => redis.get('kept'))).toBe('yes');
  });

  it('starts empty when told so', async () => {
    await withRedis((redis) => redis.set('kept', 'yes'));
    await server.stop();
    await server.startEmpty();

    expect(await withRedis((redis) => redis.dbsize())).toBe(0);
  });
});
