import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type HealthIndicatorFunction, HealthIndicatorService } from '@nestjs/terminus';
import { AppConfig } from '@app/config';
import { ConsumerBeats, JobQueues } from '@app/jobs';
import { connectRedis } from '@app/redis';
import { RecordingStore } from '@app/storage';
import type Redis from 'ioredis';
import { DataSource } from 'typeorm';
import { EmulationNotice } from './emulation-notice';

/** Each check, and so the whole answer since they run together, within the 3 s that the contract promises. */
const CHECK_TIMEOUT_MS = 2_500;

/** Below this a recording of some hours no longer fits. */
const LEAST_FREE_BYTES = 256 * 1_024 ** 2;

/** What a process needs before it can do its work. Results name no address and no error text: both may hold secrets. */
@Injectable()
export class ReadinessChecks implements OnApplicationShutdown {
  private readonly redis: Redis;

  constructor(
    private readonly indicators: HealthIndicatorService,
    config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly queues: JobQueues,
    private readonly consumers: ConsumerBeats,
    private readonly recordings: RecordingStore,
    private readonly emulation: EmulationNotice,
  ) {
    this.redis = connectRedis(config.REDIS_URL ?? '', 'commands', 'questline-health');
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  all(): HealthIndicatorFunction[] {
    return [
      this.check('redis', async () => void (await this.redis.ping())),
      this.check('postgres', async () => void (await this.dataSource.query('SELECT 1'))),
      this.check('queue', async () => {
        await Promise.all(this.queues.all().map((queue) => queue.getWaitingCount()));
      }),
      this.check('consumers', async () => {
        if (await this.consumers.findUnconsumed())
          throw new Error('Nobody consumes the queue of generations');
      }),
      this.check('storage', async () => {
        if ((await this.recordings.freeBytes()) < LEAST_FREE_BYTES) throw new Error('The disk is full');
      }),
      () => this.indicators.check('providers').up({ emulated: [...this.emulation.kinds] }),
    ];
  }

  private check(name: string, probe: () => Promise<void>): HealthIndicatorFunction {
    return async () => {
      const indicator = this.indicators.check(name);
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('timeout')), CHECK_TIMEOUT_MS);
      });
      const probing = probe();
      probing.catch(() => undefined);
      try {
        await Promise.race([probing, tooLate]);
        return indicator.up();
      } catch {
        return indicator.down('unreachable or unusable');
      } finally {
        clearTimeout(timer);
      }
    };
  }
}
