export { Lease, type HoldOutcome, type Refusal } from './lease';
export { ProviderSlots } from './provider-slots';
export { ProviderSlotsModule, type SlotsAsyncOptions } from './provider-slots.module';
export { type Answer, type Blocked } from './slot-desk';
export {
  BadSlotRequestError,
  LeaseLostError,
  PlaceConflictError,
  SlotBusyError,
  SlotParkedError,
  SlotsStoppedError,
  SlotWaitTimeoutError,
} from './slot-errors';
export { type BlockedBy, type CapRequest, type SlotRequest } from './slot-request';
export { type CapSnapshot, type Outlook, type SlotsSnapshot } from './slot-views';
export { resolveOptions, type SlotsOptions, type WakeResult } from './slots-options';
export { SlotStore } from './slot-store';
