import Redis from 'ioredis';
import { eventually } from './eventually';
import { RedisProxy } from './redis-proxy';

describe('RedisProxy', () => {
  const closers: (() => Promise<void> | void)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function setup(): Promise<{ proxy: RedisProxy; redis: Redis; direct: Redis; key: string }> {
    const redisUrl = process.env['QB_TEST_REDIS_URL']!;
    const proxy = await RedisProxy.start(redisUrl);
    const redis = new Redis(proxy.url, {
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      commandTimeout: 300,
      enableReadyCheck: false,
    });
    redis.on('error', () => undefined);
    const direct = new Redis(redisUrl);
    const key = `proxy-spec:${process.pid}:${closers.length}:${Math.random().toString(36).slice(2)}`;
    closers.push(
      () => proxy.close(),
      () => direct.disconnect(),
      () => redis.disconnect(),
      async () => void (await direct.del(key)),
    );
    await redis.set(key, 'before');
    return { proxy, redis, direct, key };
  }

  it('carries commands and answers through while it passes', async () => {
    const { proxy, redis, key } = await setup();

    expect(await redis.get(key)).toBe('before');
    expect(proxy.connections).toBe(1);
  });

  it('adds its latency each way when slow, and keeps the order', async () => {
    const { proxy, redis, key } = await setup();
    await proxy.slow(60);

    const sentAt = performance.now();
    const answers = await Promise.all([
      redis.set(key, 'one'),
      redis.get(key),
      redis.append(key, '!'),
      redis.get(key),
    ]);

    expect(answers).toEqual(['OK', 'one', 4, 'one!']);
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(115);
  });

  it('swallows commands in a black hole without closing, and delivers them when it passes again', async () => {
    const { proxy, redis, direct, key } = await setup();
    await proxy.blackhole();

    await expect(redis.set(key, 'late')).rejects.toThrow('Command timed out');
    expect(await direct.get(key)).toBe('before');
    expect(redis.status).toBe('ready');

    await proxy.pass();
    await eventually('the held command arrives', async () => (await direct.get(key)) === 'late');
    expect(await redis.get(key)).toBe('late');
  });

  it('lets a new connection open in a black hole, and serves it afterwards', async () => {
    const { proxy, key } = await setup();
    await proxy.blackhole();
    const late = new Redis(proxy.url, { enableReadyCheck: false, retryStrategy: () => null });
    closers.push(() => late.disconnect());

    const answer = late.get(key);
    await eventually('it is connected', () => proxy.connections === 2);
    await proxy.pass();

    expect(await answer).toBe('before');
  });

  it('closes what is open and accepts nothing while it refuses, and comes back on the same port', async () => {
    const { proxy, redis, key } = await setup();
    await proxy.refuse();

    await eventually('the open connection is gone', () => redis.status === 'end');
    expect(proxy.connections).toBe(0);
    await expect(redis.connect()).rejects.toMatchObject({ message: expect.stringContaining('closed') });

    await proxy.pass();
    await redis.connect();
    expect(await redis.get(key)).toBe('before');
  });

  it('cuts what is open and accepts new connections at once', async () => {
    const { proxy, redis, key } = await setup();
    proxy.cut();

    await eventually('the open connection is gone', () => redis.status === 'end');
    await redis.connect();
    expect(await redis.get(key)).toBe('before');
  });
});
