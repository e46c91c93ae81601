/** What a cap's estimate is made of, as the scripts tell it. */
export interface LoadView {
  readonly limit?: number;
  readonly gateMs: number;
  /** In ms since the epoch; absent while the gate is open. */
  readonly gateUntil?: number;
  readonly running: readonly { readonly elapsedMs: number; readonly work?: number }[];
  /** `<hold in ms>:<work or nothing>`, the newest first. */
  readonly samples: readonly string[];
}

export type OutlookView =
  | { readonly state: 'offered'; readonly sinceMs: number }
  | {
      readonly state: 'waiting';
      readonly sinceMs: number;
      readonly position: number;
      /** Work of those ahead, the nearest 64 of the own group; false where it is unknown. */
      readonly aheadWork: readonly (number | false)[];
      readonly work?: number;
      readonly load: LoadView;
    };

/** A cap's load with the number of those who wait there. */
export interface CapLoadView extends LoadView {
  readonly waiting: number;
}

export interface CapView extends LoadView {
  readonly name: string;
  readonly labels: string;
  readonly override?: number;
  readonly inUse: number;
  readonly offered: number;
  readonly overrun: number;
  readonly waiting: number;
  readonly oldestWaitMs?: number;
  readonly gateReason?: string;
}

/** Where a waiting place stands. */
export interface Outlook {
  /** How many are ahead; 0 is next. */
  readonly position: number;
  /** Null until there is history. */
  readonly estimatedMs: number | null;
  /** When this wait began, in ms since the epoch. */
  readonly sinceMs: number;
  /** Until when a gate keeps this place waiting, in ms since the epoch; null while none does. */
  readonly pausedUntilMs: number | null;
}

/** One cap in the view of the whole. */
export interface CapSnapshot {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** In force. */
  readonly limit: number | null;
  /** Whether that is an operator's word. */
  readonly overridden: boolean;
  /** Held and overrun. */
  readonly inUse: number;
  /** Freed slots reserved for a waiter that has not claimed them yet. */
  readonly offered: number;
  readonly overrun: number;
  /** Parked, offered and in place, each once, at the cap that blocks it. */
  readonly waiting: number;
  readonly oldestWaitMs: number | null;
  /** For one that would begin to wait now; null until there is history. */
  readonly estimatedMs: number | null;
  readonly gate: { readonly reason: string; readonly untilMs: number } | null;
}

export interface SlotsSnapshot {
  /** Redis is away: the slots run on local caps, and `caps` is empty. */
  readonly degraded: boolean;
  readonly caps: readonly CapSnapshot[];
}
