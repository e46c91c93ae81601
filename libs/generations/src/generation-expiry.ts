import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { GenerationEndings } from './generation-endings';

/** Twice as often as the promise of 2 s needs, so that one slow pass does not break it. */
const EVERY_MS = 500;

/**
 * Ends what did not start in time, wherever it is: waiting, parked, delayed, or lost by the queue. Every process
 * does it, so that it happens also while no worker is up; rows are claimed with SKIP LOCKED, each by one.
 */
@Injectable()
export class GenerationExpiry implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(GenerationExpiry.name);
  private timer: NodeJS.Timeout | undefined;
  private passing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly endings: GenerationEndings) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.passing;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.passing = this.pass();
    }, EVERY_MS).unref();
  }

  /** Never throws: the next pass comes anyway, also after Postgres was away. */
  private async pass(): Promise<void> {
    try {
      await this.endings.expireDue();
    } catch (error) {
      this.logger.debug({ err: error as Error }, 'A pass of the expiry broke off');
    }
    this.schedule();
  }
}
