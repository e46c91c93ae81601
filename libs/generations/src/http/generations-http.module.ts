import { Module } from '@nestjs/common';
import { GenerationPreview } from '../generation-preview';
import { GenerationsModule } from '../generations.module';
import { GenerationsController } from './generations.controller';

/** Generations over HTTP. */
@Module({
  imports: [GenerationsModule],
  controllers: [GenerationsController],
  providers: [GenerationPreview],
})
export class GenerationsHttpModule {}
