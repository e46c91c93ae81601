import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { delay } from '@app/kernel';
import { connectRedis } from '@app/redis';
import type Redis from 'ioredis';
import { JobCancelledError, WorkerStoppingError } from './job-errors';

/** What an aborted attempt may take to put its job back. */
const ABORTED_MS = 5_000;

/**
 * The attempts that run in this process, and the way to stop one from any process: a cancellation is
 * published, and whoever runs the job aborts it. A message that is lost costs only time, since a cancelled
 * row takes no result.
 */
@Injectable()
export class RunningJobs implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(RunningJobs.name);
  private readonly attempts = new Map<string, AbortController>();
  private readonly ended = new Set<() => void>();
  private readonly channel: string;
  private readonly subscriber: Redis;
  private readonly publisher: Redis;

  constructor(private readonly config: AppConfig) {
    this.channel = `${config.QB_REDIS_PREFIX}:cancellations`;
    this.subscriber = connectRedis(config.REDIS_URL ?? '', 'blocking', 'questline-cancellations');
    this.publisher = connectRedis(config.REDIS_URL ?? '', 'commands', 'questline-cancel');
  }

  onApplicationBootstrap(): void {
    this.subscriber.on('message', (_, jobId: string) =>
      this.attempts.get(jobId)?.abort(new JobCancelledError()),
    );
    this.subscriber.subscribe(this.channel).catch((error: unknown) => this.logger.error(error));
  }

  onApplicationShutdown(): void {
    this.subscriber.disconnect();
    this.publisher.disconnect();
  }

  /** Runs one attempt under a signal that a cancellation or a shutdown aborts. */
  async track<T>(jobId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.attempts.set(jobId, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (this.attempts.get(jobId) === controller) this.attempts.delete(jobId);
      if (this.attempts.size === 0) for (const tell of this.ended) tell();
    }
  }

  /** Stops the attempt wherever it runs; nothing happens when it does not run or Redis is away. */
  async cancel(jobId: string): Promise<void> {
    this.attempts.get(jobId)?.abort(new JobCancelledError());
    await this.publisher.publish(this.channel, jobId).catch(() => undefined);
  }

  /** Waits for what runs, at most the grace; what is left then is aborted and awaited for a moment. */
  async drain(): Promise<void> {
    if (this.attempts.size === 0) return;
    const allEnded = new Promise<void>((resolve) => this.ended.add(resolve));
    const grace = setTimeout(() => {
      for (const attempt of this.attempts.values()) attempt.abort(new WorkerStoppingError());
    }, this.config.QB_SHUTDOWN_GRACE_MS);
    // An attempt whose store is away may not end at all; its job is found without its worker then.
    await Promise.race([allEnded, delay(this.config.QB_SHUTDOWN_GRACE_MS + ABORTED_MS)]);
    clearTimeout(grace);
  }
}
