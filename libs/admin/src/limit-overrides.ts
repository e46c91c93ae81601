import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { newId } from '@app/kernel';
import { ProviderSlots } from '@app/provider-slots';
import { DataSource } from 'typeorm';
import { AuditEntry, LimitOverride } from './limit-override.entity';

/**
 * Limits set at run time. Postgres holds them (the truth, audited); they are pushed to Redis, where every
 * process sees them at its next admission, and pushed again at boot, in case Redis forgot.
 */
@Injectable()
export class LimitOverrides implements OnApplicationBootstrap {
  private readonly logger = new Logger(LimitOverrides.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly slots: ProviderSlots,
  ) {}

  onApplicationBootstrap(): void {
    this.pushAll().catch((error: unknown) =>
      this.logger.warn({ err: error as Error }, 'Overrides were not pushed'),
    );
  }

  /** Sets or removes (`null`) the override of one cap; in force at the next admission everywhere. */
  async set(cap: string, limit: number | null, actor: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      if (limit === null) await manager.delete(LimitOverride, { cap });
      else await manager.upsert(LimitOverride, { cap, maxSlots: limit }, ['cap']);
      await manager.insert(AuditEntry, { id: newId(), actor, action: 'limit.set', facts: { cap, limit } });
    });
    await this.slots.setLimit(cap, limit);
  }

  async find(cap: string): Promise<number | undefined> {
    return (await this.dataSource.manager.findOneBy(LimitOverride, { cap }))?.maxSlots;
  }

  /** Lays every stored override over what Redis knows. */
  async pushAll(): Promise<void> {
    for (const { cap, maxSlots } of await this.dataSource.manager.find(LimitOverride)) {
      await this.slots.setLimit(cap, maxSlots);
    }
  }
}
