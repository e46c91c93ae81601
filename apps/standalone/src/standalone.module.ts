import { type DynamicModule, Module } from '@nestjs/common';
import { ApiModule, type ProcessOptions } from '../../api/src/api.module';
import { JobRunnersModule } from '../../worker/src/worker.module';

/** API and worker in one process. */
@Module({})
export class StandaloneModule {
  static forRoot(options: ProcessOptions): DynamicModule {
    return { module: StandaloneModule, imports: [ApiModule.forRoot(options), JobRunnersModule.forRoot()] };
  }
}
