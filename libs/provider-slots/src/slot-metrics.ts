import type { Metrics } from '@app/observability';
import type { Lease } from './lease';
import type { AnyGrant } from './slot-records';
import type { SlotRequest } from './slot-request';

type Outcome = 'granted' | 'parked' | 'waited' | 'refused' | 'degraded';

const LIMIT_NAMES = new Set(['fleet', 'team', 'endpoint']);

/** Counts what requests met. Labels come from the caps' own labels, which are closed lists. */
export class SlotMetrics {
  constructor(private readonly metrics: Metrics | undefined) {}

  request(request: SlotRequest, outcome: Outcome): void {
    this.metrics?.slotRequestsTotal.inc({ ...endpointOf(request), outcome });
  }

  granted(request: SlotRequest, { waitedMs, predictedMs, predictedForMs }: AnyGrant): void {
    this.metrics?.slotWaitSeconds.observe(endpointOf(request), waitedMs / 1_000);
    if (predictedMs === undefined || !predictedForMs) return;
    this.metrics?.waitEstimateErrorRatio.observe(Math.abs(predictedMs - predictedForMs) / predictedForMs);
  }

  /** Whether anybody looks at how true predictions are. */
  get isOn(): boolean {
    return this.metrics !== undefined;
  }

  blocked(request: SlotRequest, capName: string): void {
    const labels = request.caps.find(({ name }) => name === capName)?.labels ?? {};
    const limitName = labels['limitName'] ?? (labels['kind'] ? 'endpoint' : '');
    if (LIMIT_NAMES.has(limitName)) this.metrics?.limitExceededTotal.inc({ limit_name: limitName });
  }

  ended(lease: Lease, holdMs: number): void {
    const labels = lease.record.caps.map((cap) => JSON.parse(cap.labels) as Record<string, string>);
    this.metrics?.slotHoldSeconds.observe(kindAndProvider(labels), holdMs / 1_000);
  }
}

function endpointOf(request: SlotRequest): { kind: string; provider: string } {
  return kindAndProvider(request.caps.map(({ labels }) => labels ?? {}));
}

function kindAndProvider(labels: readonly Readonly<Record<string, string>>[]): {
  kind: string;
  provider: string;
} {
  const endpoint = labels.find((one) => one['kind']) ?? {};
  return { kind: endpoint['kind'] ?? 'none', provider: endpoint['provider'] ?? 'none' };
}
