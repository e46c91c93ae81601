import { randomBytes } from 'node:crypto';
import Redis from 'ioredis';
import { EmbeddedStores } from '../apps/standalone/src/embedded/embedded-stores';

/** Stores of the bench's own, so that nothing else is counted. */
export class BenchWorld {
  private constructor(
    private readonly stores: EmbeddedStores,
    readonly redis: Redis,
  ) {}

  static async open(): Promise<BenchWorld> {
    const stores = await EmbeddedStores.start({ say: (line) => process.stderr.write(`${line}\n`) });
    return new BenchWorld(stores, new Redis(stores.redisUrl));
  }

  get redisUrl(): string {
    return this.stores.redisUrl;
  }

  get databaseUrl(): string {
    return this.stores.databaseUrl;
  }

  /** From now on `Product.start` stands on these stores. */
  lendToProducts(): void {
    process.env['QB_TEST_DATABASE_URL'] = this.databaseUrl;
    process.env['QB_TEST_REDIS_URL'] = this.redisUrl;
  }

  newPrefix(): string {
    return `bench-${randomBytes(6).toString('hex')}`;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.stores.stop();
  }
}
