import { Logger } from '@nestjs/common';
import { AppError } from '@app/kernel';
import type { Metrics } from '@app/observability';

const AWAY_REPLY = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|OOM|BUSY)\b/;
const PROBE_MS = 250;

/** Whether the error means that Redis cannot do its work now; any other reply is a fault of ours. */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof AppError || error instanceof TypeError) return false;
  return error.name !== 'ReplyError' || AWAY_REPLY.test(error.message);
}

interface OutageSteps {
  /** Whoever waits for Redis goes on without it. */
  onBegin(): void;
  /** Answers when Redis is back. */
  probe(): Promise<unknown>;
  /** Squares what was done without Redis, before anyone asks it again. */
  recover(): Promise<void>;
  onEnd(): void;
}

/**
 * Knows whether Redis is away. It begins with the first command that failed and ends when Redis answers again;
 * both are told once, however many commands fail in between.
 */
export class RedisOutage {
  private readonly logger = new Logger('ProviderSlots');
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly steps: OutageSteps,
    private readonly metrics?: Metrics,
  ) {}

  get isOn(): boolean {
    return this.timer !== undefined;
  }

  /** Nobody looks any more whether Redis comes back: what fails from here on fails for good. */
  get isClosed(): boolean {
    return this.closed;
  }

  begin(cause: unknown): void {
    if (this.timer || this.closed) return;
    this.metrics?.slotsDegraded.set(1);
    this.logger.error(
      { err: cause as Error },
      'Redis is away: slots are granted by this process alone, under the same limits',
    );
    this.scheduleProbe();
    this.steps.onBegin();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    if (this.timer) this.steps.onEnd();
    this.timer = undefined;
  }

  private scheduleProbe(): void {
    this.timer = setTimeout(() => void this.tryToEnd(), PROBE_MS);
    this.timer.unref();
  }

  private async tryToEnd(): Promise<void> {
    try {
      await this.steps.probe();
      await this.steps.recover();
    } catch (error) {
      if (!isRedisAway(error)) this.logger.error({ err: error as Error }, 'Coming back to Redis failed');
      if (!this.closed) this.scheduleProbe();
      return;
    }
    if (this.closed) return;
    this.timer = undefined;
    this.metrics?.slotsDegraded.set(0);
    this.logger.warn('Redis is back: slots are shared again');
    this.steps.onEnd();
  }
}
