import { Injectable } from '@nestjs/common';
import { type CapSnapshot, ProviderSlots } from '@app/provider-slots';
import { type ConfiguredEndpoint, ProviderEndpoints } from '@app/providers';
import type { EndpointStateDto, CapStateDto, QueueStateDto } from './queue-state.dto';

/** Reads what an operator asks in a burst: stuck, or just busy? From Redis alone, never from a provider. */
@Injectable()
export class QueueState {
  constructor(
    private readonly slots: ProviderSlots,
    private readonly endpoints: ProviderEndpoints,
  ) {}

  /** Never throws: with Redis away it says `degraded`, and knows no counts. */
  async read(): Promise<QueueStateDto> {
    const snapshot = await this.slots.snapshot();
    const byName = new Map(snapshot.caps.map((cap) => [cap.name, cap]));
    const configured = this.endpoints.all().map((endpoint) => {
      const cap = byName.get(endpoint.capName);
      byName.delete(endpoint.capName);
      return stateOfConfigured(endpoint, cap, snapshot.degraded);
    });
    const others = [...byName.values()];
    return {
      generated_at: new Date().toISOString(),
      degraded: snapshot.degraded,
      // An endpoint of another configuration (a rolling deploy, an earlier address) while it is still in use.
      endpoints: [...configured, ...others.filter((cap) => cap.labels.kind).map(stateOfUnconfigured)],
      caps: others.filter((cap) => !cap.labels.kind).map(stateOfCap),
    };
  }
}

function stateOfConfigured(
  { endpoint, limit, limitSource }: ConfiguredEndpoint,
  cap: CapSnapshot | undefined,
  degraded: boolean,
): EndpointStateDto {
  const { kind, provider, host } = endpoint;
  const overridden = cap?.overridden ?? false;
  return {
    kind,
    provider,
    host,
    limit: overridden ? (cap?.limit ?? null) : limit,
    limit_source: overridden ? 'override' : limitSource,
    ...countsOf(cap, degraded),
  };
}

function stateOfUnconfigured(cap: CapSnapshot): EndpointStateDto {
  const { kind, provider, host } = cap.labels;
  return {
    kind: kind === 'asr' ? 'asr' : 'llm',
    provider: provider ?? '',
    host: host ?? '',
    limit: cap.limit,
    limit_source: cap.overridden ? 'override' : 'none',
    ...countsOf(cap, false),
  };
}

function countsOf(cap: CapSnapshot | undefined, degraded: boolean) {
  const idle = degraded ? null : 0;
  return {
    in_use: cap ? cap.inUse : idle,
    waiting: cap ? cap.waiting : idle,
    estimated_wait_seconds: cap ? toSeconds(cap.estimatedMs) : null,
    oldest_wait_seconds: cap ? toSeconds(cap.oldestWaitMs) : null,
    gate: cap?.gate ? { reason: cap.gate.reason, until: new Date(cap.gate.untilMs).toISOString() } : null,
  };
}

function stateOfCap(cap: CapSnapshot): CapStateDto {
  const [, teamId] = cap.name.split(':');
  return {
    name: cap.name,
    team_id: teamId ?? null,
    limit: cap.limit,
    in_use: cap.inUse,
    waiting: cap.waiting,
  };
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.max(0, Math.ceil(ms / 1_000));
}
