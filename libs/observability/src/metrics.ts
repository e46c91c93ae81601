import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const WAIT_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200];
const HOLD_BUCKETS_SECONDS = [
  0.05, 0.1, 0.25, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400,
];

/**
 * Every metric this product exposes, and nothing is measured elsewhere. Labels come from closed lists,
 * never an id, so that the number of series is bounded by the configuration.
 */
export class Metrics {
  constructor(readonly registry: Registry = new Registry()) {}

  readonly slotLimit = this.gauge('provider_slot_limit', 'Limit in force on an endpoint', [
    'kind',
    'provider',
    'host',
  ]);
  readonly slotsInUse = this.gauge('provider_slots_in_use', 'Slots held or overrun on an endpoint', [
    'kind',
    'provider',
    'host',
  ]);
  readonly slotsWaiting = this.gauge('provider_slots_waiting', 'Requests waiting for an endpoint', [
    'kind',
    'provider',
    'host',
  ]);
  readonly slotWaitSeconds = this.histogram(
    'provider_slot_wait_seconds',
    'Time from the first ask to the grant of a slot',
    ['kind', 'provider'],
    WAIT_BUCKETS_SECONDS,
  );
  readonly slotHoldSeconds = this.histogram(
    'provider_slot_hold_seconds',
    'Time a slot was held',
    ['kind', 'provider'],
    HOLD_BUCKETS_SECONDS,
  );
  readonly slotRequestsTotal = this.counter(
    'provider_slot_requests_total',
    'Slot requests by their outcome',
    ['kind', 'provider', 'outcome'],
  );
  readonly limitExceededTotal = this.counter(
    'concurrency_limit_exceeded_total',
    'Requests that met a full cap, by the kind of cap that was full',
    ['limit_name'],
  );
  readonly refusalsTotal = this.counter('provider_refusals_total', 'Calls a provider refused, by refusal', [
    'kind',
    'provider',
    'refusal',
  ]);
  readonly gateClosed = this.gauge('provider_gate_closed', '1 while an endpoint asked us to pause', [
    'kind',
    'provider',
    'host',
  ]);
  readonly slotsDegraded = this.gauge(
    'slots_degraded',
    '1 while slots run on the local cap because Redis is away',
    [],
  );
  readonly leasesLostTotal = this.counter(
    'slot_leases_lost_total',
    'Leases a holder lost to a re-run or an expiry',
    [],
  );
  readonly waitEstimateErrorRatio = this.histogram(
    'wait_estimate_error_ratio',
    'First predicted wait against the real one: |predicted - real| / real',
    [],
    [0.05, 0.1, 0.25, 0.5, 0.6, 1, 2, 5, 10],
  );
  readonly queueWaitSeconds = this.histogram(
    'queue_wait_seconds',
    'Time from the first enqueue of a job to its real start, summed over re-queues',
    ['queue'],
    WAIT_BUCKETS_SECONDS,
  );
  readonly sessionsFinishedTotal = this.counter(
    'sessions_finished_total',
    'Sessions that ended, by outcome',
    ['outcome'],
  );
  readonly generationsFinishedTotal = this.counter(
    'generations_finished_total',
    'Generations that ended, by outcome',
    ['outcome'],
  );
  readonly reconcilerRepairsTotal = this.counter(
    'reconciler_repairs_total',
    'Differences between rows, jobs and leases that the reconciler repaired',
    ['repair'],
  );

  private gauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  private counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
