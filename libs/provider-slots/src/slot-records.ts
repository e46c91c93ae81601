import type { SlotRequest } from './slot-request';

/** `try` never waits, `park` keeps the place, `wait` keeps it for a process that stands by. */
export type AskMode = 'try' | 'park' | 'wait';

/** A cap as the scripts take it: numbers and labels as text. */
export interface StoredCap {
  readonly name: string;
  /** '' is no limit. */
  readonly limit: string;
  /** JSON. */
  readonly labels: string;
}

/** A request as the scripts take it. `nonce` is one per attempt: the same again is the same call asking twice. */
export interface StoredRequest extends Omit<SlotRequest, 'caps'> {
  readonly nonce: string;
  readonly caps: readonly StoredCap[];
}

export interface AnyGrant {
  readonly kind: 'fresh' | 'claim' | 'again' | 'takeover';
  readonly leaseId: string;
  readonly ticket: string;
  readonly waitedMs: number;
  /** The first prediction of this wait, and how long it took from then. */
  readonly predictedMs?: number;
  readonly predictedForMs?: number;
}

export interface AnyRefusal {
  readonly cap: string;
  readonly reason: 'cap' | 'gate';
  readonly gateReason?: string;
  readonly limit?: number;
  readonly retryAfterMs: number;
  /** Only when parked. */
  readonly ticket?: string;
  readonly turnover?: string;
}

/** What a holder knows about its lease; enough to tell a store that has lost its state. */
export interface LeaseRecord {
  readonly placeId: string;
  readonly leaseId: string;
  readonly nonce: string;
  readonly caps: readonly StoredCap[];
  readonly group: string;
  readonly ticket: string;
  readonly work?: number;
  readonly leaseMs: number;
  /** Granted while the store was away. */
  readonly degraded: boolean;
}

export type LeaseState = 'held' | 'overrun' | 'lost' | 'unknown';
export type WaiterState =
  'waiting' | 'offered' | 'held' | 'aside' | 'lapsed' | 'ended' | 'overrun' | 'unknown';

export function toStored(request: SlotRequest, nonce: string): StoredRequest {
  return {
    placeId: request.placeId,
    nonce,
    group: request.group,
    ticket: request.ticket,
    work: request.work,
    wake: request.wake,
    expiresInMs: request.expiresInMs === undefined ? undefined : Math.ceil(request.expiresInMs),
    leaseMs: request.leaseMs === undefined ? undefined : Math.ceil(request.leaseMs),
    caps: request.caps.map(({ name, limit, labels }) => ({
      name,
      limit: limit === null ? '' : String(limit),
      labels: JSON.stringify(labels ?? {}),
    })),
  };
}
