import type { AppConfig } from '@app/config';
import { connectRedis, queuesRoot } from '@app/redis';
import type { QueueOptions } from 'bull';
import type Redis from 'ioredis';
import { PutBackError } from './job-errors';

/** Bull never gives a job up on its own: it would remove it without telling which. See JobAttempts. */
const MAX_STALLS = Number.MAX_SAFE_INTEGER;

/** Bull's way to ask: -1 ends the job, anything else is the countdown. */
function putBackDelay(_: number, error: Error): number {
  return error instanceof PutBackError ? error.countdownMs : -1;
}

/**
 * Bull connects its blocking connection anew to end a blocking command, and hears of a failure too late: while
 * Redis is away, a stop would so end the process. ioredis goes on trying in any case.
 */
function connectForBull(config: AppConfig, type: string): Redis {
  const redis = connectRedis(config.REDIS_URL ?? '', 'blocking', `questline-bull-${type}`);
  const connect = redis.connect.bind(redis);
  redis.connect = () => connect().catch(() => undefined);
  return redis;
}

/** How every queue of ours is opened. */
export function queueOptions(config: AppConfig): QueueOptions {
  return {
    prefix: queuesRoot(config.QB_REDIS_PREFIX),
    createClient: (type: string) => connectForBull(config, type),
    settings: {
      lockDuration: config.QB_JOB_LOCK_MS,
      lockRenewTime: config.QB_JOB_LOCK_MS / 3,
      stalledInterval: config.QB_STALLED_INTERVAL_MS,
      maxStalledCount: MAX_STALLS,
      backoffStrategies: { putBack: putBackDelay },
    },
  };
}
