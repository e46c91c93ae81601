import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type Redis from 'ioredis';

type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A limit is not worth more waiting than this. */
const ANSWER_WITHIN_MS = 250;

/** After one count that failed nobody asks for so long, so that an outage slows down few requests. */
const LEAVE_ALONE_MS = 2_000;

const NOT_COUNTED: Count = { totalHits: 0, timeToExpire: 0, isBlocked: false, timeToBlockExpire: 0 };

/** Counts of requests in Redis, for all processes together; while it is away nobody is limited. */
export class RateLimitCounts implements ThrottlerStorage {
  private readonly counts: ThrottlerStorageRedisService;
  private leftAloneUntil = 0;

  constructor(private readonly redis: Redis) {
    this.counts = new ThrottlerStorageRedisService(redis);
  }

  async increment(...count: Parameters<ThrottlerStorage['increment']>): Promise<Count> {
    if (performance.now() < this.leftAloneUntil) return NOT_COUNTED;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), ANSWER_WITHIN_MS);
    });
    try {
      return await Promise.race([this.counts.increment(...count), tooLate]);
    } catch {
      this.leftAloneUntil = performance.now() + LEAVE_ALONE_MS;
      return NOT_COUNTED;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.redis.disconnect();
  }
}
