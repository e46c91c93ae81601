import { eventually } from '../support/eventually';
import { Product } from '../support/product';
import { RedisProxy } from '../support/redis-proxy';

const READY_WITHIN_MS = 3_000;

describe('while Redis hangs', () => {
  let product: Product;
  let line: RedisProxy;

  beforeAll(async () => {
    line = await RedisProxy.start(process.env['QB_TEST_REDIS_URL'] ?? '');
    product = await Product.start({ redisUrl: line.url });
  });

  afterAll(async () => {
    await line.pass();
    await product.stop();
    await line.close();
  });

  it('the process lives, says within 3 s that it is not ready, and the admin queue says degraded', async () => {
    expect((await product.call('/health/ready', { key: null })).status).toBe(200);
    await line.blackhole();

    const askedAt = performance.now();
    const ready = await product.call('/health/ready', { key: null });
    expect(performance.now() - askedAt).toBeLessThan(READY_WITHIN_MS);
    expect(ready).toMatchObject({
      status: 503,
      body: { status: 'error', details: { redis: { status: 'down' }, postgres: { status: 'up' } } },
    });
    expect(ready.headers.get('retry-after')).not.toBeNull();
    expect((await product.call('/health/live', { key: null })).status).toBe(200);

    const queue = await product.call<{ degraded: boolean; endpoints: object[] }>('/api/admin/ai/queue');
    expect(queue).toMatchObject({ status: 200, body: { degraded: true } });
    expect(queue.body.endpoints).toHaveLength(2);
    for (const endpoint of queue.body.endpoints)
      expect(endpoint).toMatchObject({ in_use: null, waiting: null });
    const metrics = await product.call<string>('/metrics', { key: null });
    expect(metrics.body).toContain('slots_degraded 1');

    await line.pass();
    await eventually(
      'it is ready again',
      async () => (await product.call('/health/ready', { key: null })).status === 200,
    );
    await eventually('it is no more degraded', async () => !(await product.queue()).degraded);
  });
});
