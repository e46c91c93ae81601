export { UsageHttpModule } from './http/usage-http.module';
export { UsagePageDto, UsageQueryDto, UsageTotalsDto } from './http/usage.dto';
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
export { UsageRecorder, type RunRef } from './usage-recorder';
export { RequestUsage, SessionUsage } from './usage-row.entity';
