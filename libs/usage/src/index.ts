export { UsageHttpModule } from './http/usage-http.module';
export { UsageDayDto, UsageItemDto, UsagePageDto, UsageQueryDto, UsageTotalsDto } from './http/usage.dto';
export type { Consumption, Meter } from './meter';
export { sumMeters } from './meter';
export { MeterLine } from './meter-line.entity';
export {
  UsageLedger,
  type UsageDay,
  type UsageItem,
  type UsageQuestion,
  type UsageTotals,
} from './usage-ledger';
export { UsageModule } from './usage.module';
export { UsageRecorder, type GenerationRef, type RunRef } from './usage-recorder';
export { GenerationUsage, RequestUsage, SessionUsage } from './usage-row.entity';
