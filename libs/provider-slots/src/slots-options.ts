import type { Metrics } from '@app/observability';
import type { ConnectionRole } from '@app/redis';
import type Redis from 'ioredis';
import { BadSlotRequestError } from './slot-errors';

/** What became of a wake: the waker will ask, cannot yet, or exists no more. */
export type WakeResult = 'woken' | 'busy' | 'gone';

export interface SlotsOptions {
  /** Where Redis is, or how to connect to it. One connection per role. */
  readonly url?: string;
  readonly connect?: (role: ConnectionRole) => Redis;
  /** All keys begin with `<prefix>:{slots}`. */
  readonly prefix: string;
  /** `fair` shares between groups in turn, `fifo` is pure tickets. */
  readonly order?: 'fair' | 'fifo';
  /** How long a lease lasts without renewal. */
  readonly leaseMs?: number;
  /** How long an offer waits for a parked place to claim it. */
  readonly claimMs?: number;
  /** Longest time until a parked place asks again by itself; 10 min later it counts as dead. */
  readonly nextTryMs?: number;
  /** Longest wait in place. */
  readonly maxWaitMs?: number;
  /** In-place waiters of one process may take up half of it. Unset: no bound. */
  readonly workerConcurrency?: number;
  /** What `withSlot` does outside any request or job. */
  readonly defaultRule?: 'refuse' | 'wait';
  /** Keys that nobody uses are gone after this. */
  readonly idleMs?: number;
  /** A probe that ran unrefused for this long counts as accepted. */
  readonly probeMs?: number;
  /** 0 turns the timer off: for tests, which sweep by hand. */
  readonly sweepMs?: number;
  /** Called in one process for each parked place that is offered its slots. */
  readonly onWake?: (wake: string, placeId: string) => Promise<WakeResult>;
  readonly metrics?: Metrics;
  /** Tests only: the time in ms that the scripts use instead of Redis's. */
  readonly pinnedTime?: () => number | undefined;
}

export type ResolvedOptions = Readonly<
  Required<Omit<SlotsOptions, 'url' | 'connect' | 'workerConcurrency' | 'onWake' | 'metrics' | 'pinnedTime'>>
> &
  Pick<SlotsOptions, 'url' | 'connect' | 'workerConcurrency' | 'onWake' | 'metrics' | 'pinnedTime'>;

const DEFAULTS = {
  order: 'fair',
  leaseMs: 60_000,
  claimMs: 15_000,
  nextTryMs: 40_000,
  maxWaitMs: 900_000,
  defaultRule: 'wait',
  idleMs: 3_600_000,
  probeMs: 5_000,
  sweepMs: 1_000,
} as const;

/** @throws BadSlotRequestError naming the option that is wrong. */
export function resolveOptions(options: SlotsOptions): ResolvedOptions {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved = { ...DEFAULTS, ...given } as ResolvedOptions;
  if (!resolved.url && !resolved.connect) throw new BadSlotRequestError('url', 'or connect is needed');
  if (!resolved.prefix) throw new BadSlotRequestError('prefix', 'must not be empty');
  if (/[{}]/.test(resolved.prefix)) throw new BadSlotRequestError('prefix', 'must not contain a hash tag');
  for (const option of ['leaseMs', 'claimMs', 'nextTryMs', 'idleMs', 'probeMs'] as const) {
    const ms = resolved[option];
    if (!(Number.isFinite(ms) && ms >= 1))
      throw new BadSlotRequestError(option, 'must be a number of ms ≥ 1');
  }
  for (const option of ['maxWaitMs', 'sweepMs'] as const) {
    const ms = resolved[option];
    if (!(Number.isFinite(ms) && ms >= 0))
      throw new BadSlotRequestError(option, 'must be a number of ms ≥ 0');
  }
  if (resolved.order !== 'fair' && resolved.order !== 'fifo') {
    throw new BadSlotRequestError('order', 'must be fair or fifo');
  }
  return resolved;
}
