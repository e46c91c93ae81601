import { type ExecutionContext, type OnApplicationShutdown } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import { AppConfig } from '@app/config';
import { TooManyRequestsError } from '@app/kernel';
import { connectRedis } from '@app/redis';
import type { Principal } from './principal';
import { RateLimitCounts } from './rate-limit-counts';

const MINUTE_MS = 60_000;

/** What is over the limit stays refused until its minute is over; it is looked at again this often. */
const LOOK_AGAIN_MS = 1_000;

/**
 * So many requests a minute for each API key, whatever their routes. Comes after the guard that recognises the
 * key; routes without one are not limited.
 */
export class RateLimitGuard extends ThrottlerGuard implements OnApplicationShutdown {
  private readonly counts: RateLimitCounts;

  constructor(config: AppConfig, reflector: Reflector) {
    const counts = new RateLimitCounts(connectRedis(config.REDIS_URL ?? '', 'commands', 'questline-rate'));
    const limit = config.QB_RATE_LIMIT_PER_MINUTE;
    super(
      {
        throttlers: [{ name: 'default', ttl: MINUTE_MS, limit, blockDuration: LOOK_AGAIN_MS }],
        getTracker: (request) => principalOf(request)?.keyId ?? '',
        generateKey: (_, keyId) => `${config.QB_REDIS_PREFIX}:rate:${keyId}`,
      },
      counts,
      reflector,
    );
    this.counts = counts;
  }

  onApplicationShutdown(): void {
    this.counts.close();
  }

  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return !principalOf(context.switchToHttp().getRequest<Record<string, unknown>>());
  }

  /** @throws TooManyRequestsError that says when the minute is over */
  protected override async throwThrottlingException(
    _: ExecutionContext,
    { limit, timeToExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const message = `At most ${limit} requests a minute are taken from one key`;
    throw new TooManyRequestsError(message, Math.max(1, timeToExpire) * 1_000);
  }
}

function principalOf(request: Record<string, unknown>): Principal | undefined {
  return request['principal'] as Principal | undefined;
}
