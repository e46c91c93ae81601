import { Injectable } from '@nestjs/common';
import { Metrics } from '@app/observability';
import { QueueState } from '../queue-state';

/** Copies the slots' state, which is kept in Redis for the whole fleet, into gauges at the moment of a scrape. */
@Injectable()
export class SlotGauges {
  constructor(
    private readonly metrics: Metrics,
    private readonly queueState: QueueState,
  ) {}

  /** Unknown counts (Redis is away) leave no series, rather than a wrong zero. */
  async refresh(): Promise<void> {
    const { degraded, endpoints } = await this.queueState.read();
    const { slotLimit, slotsInUse, slotsWaiting, gateClosed, slotsDegraded } = this.metrics;
    for (const gauge of [slotLimit, slotsInUse, slotsWaiting, gateClosed]) gauge.reset();
    slotsDegraded.set(degraded ? 1 : 0);
    for (const { kind, provider, host, limit, in_use, waiting, gate } of endpoints) {
      const labels = { kind, provider, host };
      if (limit !== null) slotLimit.set(labels, limit);
      if (in_use !== null) slotsInUse.set(labels, in_use);
      if (waiting !== null) slotsWaiting.set(labels, waiting);
      if (!degraded) gateClosed.set(labels, gate ? 1 : 0);
    }
  }
}
