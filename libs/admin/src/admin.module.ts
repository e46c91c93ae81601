import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GenerationsModule } from '@app/generations';
import { EventStreamsModule } from '@app/http';
import { ProvidersModule } from '@app/providers';
import { TeamsModule } from '@app/teams';
import { UsageModule } from '@app/usage';
import { AdminAiController } from './admin-ai.controller';
import { AdminCapsController } from './admin-caps.controller';
import { AdminQueueEventsController } from './admin-queue-events.controller';
import { AdminTeamsController } from './admin-teams.controller';
import { AdminUsageController } from './admin-usage.controller';
import { AuditEntry, LimitOverride } from './limit-override.entity';
import { LimitOverrides } from './limit-overrides';
import { ProviderTest } from './provider-test';
import { QueueState } from './queue-state';

/** What operators see and change. */
@Module({
  imports: [
    TypeOrmModule.forFeature([LimitOverride, AuditEntry]),
    EventStreamsModule,
    GenerationsModule,
    ProvidersModule,
    TeamsModule,
    UsageModule,
  ],
  controllers: [
    AdminAiController,
    AdminQueueEventsController,
    AdminCapsController,
    AdminTeamsController,
    AdminUsageController,
  ],
  providers: [LimitOverrides, QueueState, ProviderTest],
  exports: [LimitOverrides, QueueState],
})
export class AdminModule {}
