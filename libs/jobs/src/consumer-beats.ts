import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { connectRedis } from '@app/redis';
import type Redis from 'ioredis';
import { GENERATION_QUEUE, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from './queue-names';

/** Time without a beat after which nobody consumes a queue any more. */
const ALIVE_MS = 15_000;

/** Processes of one installation do not start at the same moment. */
const BOOT_GRACE_MS = 10_000;

/**
 * Which queues are consumed by anybody: each consumer says so every few seconds, in a key per queue that
 * expires by itself. So a queue that is posted to and that nobody consumes is noticed, instead of silence.
 */
@Injectable()
export class ConsumerBeats implements OnApplicationBootstrap, OnApplicationShutdown {
  static readonly EVERY_MS = ALIVE_MS / 3;

  private readonly logger = new Logger(ConsumerBeats.name);
  private readonly redis: Redis;
  private bootCheck: NodeJS.Timeout | undefined;

  constructor(private readonly config: AppConfig) {
    this.redis = connectRedis(config.REDIS_URL ?? '', 'commands', 'questline-consumers');
  }

  onApplicationBootstrap(): void {
    this.bootCheck = setTimeout(() => void this.warnIfUnconsumed(), BOOT_GRACE_MS).unref();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.bootCheck);
    this.redis.disconnect();
  }

  /** @throws when Redis is away */
  async beat(queueNames: readonly string[]): Promise<void> {
    await Promise.all(queueNames.map((name) => this.redis.set(this.keyOf(name), '1', 'PX', ALIVE_MS)));
  }

  /**
   * The queue of generations, when workers are up (or it is one of its own, so that somebody was meant to
   * consume it) and none of them consumes it. A fleet without any worker is no mistake of names: jobs wait.
   * @throws when Redis is away
   */
  async findUnconsumed(): Promise<string | undefined> {
    const name = this.config.QB_GENERATION_QUEUE;
    const [own, ...others] = await Promise.all(
      [name, TRANSCRIBE_QUEUE, SUMMARISE_QUEUE].map((queue) => this.redis.exists(this.keyOf(queue))),
    );
    if (own === 1) return undefined;
    return name !== GENERATION_QUEUE || others.includes(1) ? name : undefined;
  }

  private async warnIfUnconsumed(): Promise<void> {
    const name = await this.findUnconsumed().catch(() => undefined);
    if (!name) return;
    this.logger.warn(
      `Generations are posted to queue "${name}" (QB_GENERATION_QUEUE) and no worker consumes it: start one with --queues ${name}`,
    );
  }

  private keyOf(queueName: string): string {
    return `${this.config.QB_REDIS_PREFIX}:consumers:${queueName}`;
  }
}
