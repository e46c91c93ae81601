import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule } from '@app/http';
import { JobsModule } from '@app/jobs';
import { ProvidersModule } from '@app/providers';
import { UsageModule } from '@app/usage';
import { GenerationEndings } from './generation-endings';
import { GenerationExpiry } from './generation-expiry';
import { GenerationLimits } from './generation-limits';
import { GenerationNews } from './generation-news';
import { GenerationQueue } from './generation-queue';
import { GenerationStore } from './generation-store';
import { Generation } from './generation.entity';
import { Generations } from './generations';
import { PendingBound } from './pending-bound';

const RULES = [
  Generations,
  GenerationStore,
  GenerationQueue,
  GenerationEndings,
  GenerationLimits,
  GenerationNews,
  PendingBound,
];

/** The rules of generations, for every process. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Generation]),
    IdempotencyModule,
    JobsModule,
    ProvidersModule,
    UsageModule,
  ],
  providers: [...RULES, GenerationExpiry],
  exports: [...RULES, JobsModule, ProvidersModule],
})
export class GenerationsModule {}
