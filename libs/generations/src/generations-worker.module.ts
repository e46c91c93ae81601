import { Module } from '@nestjs/common';
import { GenerationFailureHook } from './generation-failure-hook';
import { GenerationRunner } from './generation-runner';
import { GenerationRuns } from './generation-runs';
import { GenerationProcessor } from './generation.processor';
import { GenerationsModule } from './generations.module';

/** What runs generations' jobs. */
@Module({
  imports: [GenerationsModule],
  providers: [GenerationRunner, GenerationFailureHook, GenerationProcessor, GenerationRuns],
})
export class GenerationsWorkerModule {}
