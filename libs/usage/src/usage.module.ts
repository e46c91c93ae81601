import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MeterLine } from './meter-line.entity';
import { UsageLedger } from './usage-ledger';
import { UsageRecorder } from './usage-recorder';
import { GenerationUsage, RequestUsage, SessionUsage } from './usage-row.entity';

@Module({
  imports: [TypeOrmModule.forFeature([MeterLine, SessionUsage, GenerationUsage, RequestUsage])],
  providers: [UsageRecorder, UsageLedger],
  exports: [UsageRecorder, UsageLedger],
})
export class UsageModule {}
