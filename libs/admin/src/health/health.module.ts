import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { StorageModule } from '@app/storage';
import { EmulationNotice } from './emulation-notice';
import { HealthController } from './health.controller';
import { ReadinessChecks } from './readiness-checks';

/** `/health/live` and `/health/ready`, the same in every process. */
@Module({})
export class HealthModule {
  static forRoot(emulated: readonly ('asr' | 'llm')[]): DynamicModule {
    return {
      module: HealthModule,
      imports: [TerminusModule.forRoot({ logger: false }), StorageModule],
      controllers: [HealthController],
      providers: [ReadinessChecks, { provide: EmulationNotice, useValue: new EmulationNotice(emulated) }],
      exports: [EmulationNotice],
    };
  }
}
