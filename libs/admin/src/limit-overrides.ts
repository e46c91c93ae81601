import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AppConfig } from '@app/config';
import { GenerationLimits } from '@app/generations';
import { newId } from '@app/kernel';
import { ProviderSlots } from '@app/provider-slots';
import { DataSource } from 'typeorm';
import { AuditEntry, LimitOverride } from './limit-override.entity';

/**
 * Limits set at run time. Postgres holds them (the truth, audited); they are pushed to Redis, where every
 * process sees them at its next admission, and pushed again at boot and now and then, in case Redis forgot.
 */
@Injectable()
export class LimitOverrides implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(LimitOverrides.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly slots: ProviderSlots,
    private readonly generationLimits: GenerationLimits,
  ) {}

  onApplicationBootstrap(): void {
    const pushAll = (): void => void this.pushQuietly(() => this.pushAll());
    this.timer = setInterval(pushAll, this.config.QB_RECONCILE_INTERVAL_MS).unref();
    pushAll();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Sets or removes (`null`) the override of one cap; in force at the next admission everywhere, and while
   * Redis is away as soon as it is back.
   */
  async set(cap: string, limit: number | null, actor: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      if (limit === null) await manager.delete(LimitOverride, { cap });
      else await manager.upsert(LimitOverride, { cap, maxSlots: limit }, ['cap']);
      await manager.insert(AuditEntry, { id: newId(), actor, action: 'limit.set', facts: { cap, limit } });
    });
    await this.pushQuietly(() => this.push(cap, limit));
  }

  async find(cap: string): Promise<number | undefined> {
    return (await this.dataSource.manager.findOneBy(LimitOverride, { cap }))?.maxSlots;
  }

  /** Lays every stored override over what Redis knows. @throws when Redis or Postgres is away */
  async pushAll(): Promise<void> {
    for (const { cap, maxSlots } of await this.dataSource.manager.find(LimitOverride)) {
      await this.push(cap, maxSlots);
    }
  }

  private async push(cap: string, limit: number | null): Promise<void> {
    if (this.generationLimits.concerns(cap)) await this.generationLimits.push(cap, limit);
    else await this.slots.setLimit(cap, limit);
  }

  private async pushQuietly(push: () => Promise<void>): Promise<void> {
    await push().catch((error: unknown) =>
      this.logger.warn({ err: error as Error }, 'Overrides were not pushed; the next pass does it'),
    );
  }
}
