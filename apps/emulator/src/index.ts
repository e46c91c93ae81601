export { Emulator } from './emulator';
export { type CallKind, type EmulatorSettings, type PerKind } from './emulator-settings';
export { type Count, type EmulatorStats, type FlightEntry, type FlightOutcome } from './flight-recorder';
export { type Action, BadScriptError, type Match, type Rule, type Script } from './script/script';
