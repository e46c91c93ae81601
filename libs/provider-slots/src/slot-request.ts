/** One cap that a request has to fit under. */
export interface CapRequest {
  readonly name: string;
  /** Most slots at once; null registers the lease without limiting it. */
  readonly limit: number | null;
  /** Facts for the view and the metrics: kind, provider, host, limitSource. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One wish for a slot in each of its caps. */
export interface SlotRequest {
  /** The place in the queue: the same id asking again means the same wish. */
  readonly placeId: string;
  /** Admission number of an earlier ask, kept by the caller. */
  readonly ticket?: string;
  /** Narrowest first, in one order everywhere: team, fleet, endpoint. */
  readonly caps: readonly CapRequest[];
  /** Slots are shared between groups in turn. */
  readonly group: string;
  /** Expected units of work, e.g. audio seconds; unknown counts as the median. */
  readonly work?: number;
  /** A place that still waits by then is forgotten. */
  readonly expiresInMs?: number;
  /** Instead of the module's lease. */
  readonly leaseMs?: number;
  /** Opaque; `onWake` gets it when the parked place is offered its slots. */
  readonly wake?: string;
}

/** What stood in the way. */
export interface BlockedBy {
  readonly cap: string;
  /** `cap`: all its slots are taken. `gate`: its endpoint asked for a pause. */
  readonly reason: 'cap' | 'gate';
  readonly gateReason?: string;
  readonly limit: number | null;
}
