import { slotsRoot } from '@app/redis';
import type Redis from 'ioredis';
import type {
  AnyGrant,
  AnyRefusal,
  AskMode,
  LeaseRecord,
  LeaseState,
  StoredRequest,
  WaiterState,
} from './slot-records';
import { scriptSettings } from './script-settings';
import type { ResolvedOptions } from './slots-options';
import { ScriptRunner } from './script-runner';
import { LUA_FOLDER, loadLibrary, type ScriptName } from './slot-scripts';
import type { CapLoadView, CapView, OutlookView } from './slot-views';

const SNAPSHOT_PAGE = 64;

export type AcquireReply =
  | ({ readonly outcome: 'granted' } & AnyGrant)
  | ({ readonly outcome: 'parked' } & AnyRefusal)
  | ({ readonly outcome: 'busy' } & AnyRefusal)
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'disowned' };

/** The scripts, one method each, and nothing else: usable on its own, with any clock. */
export class SlotStore {
  readonly root: string;
  private readonly scripts: ScriptRunner;

  constructor(
    redis: Redis,
    private readonly options: ResolvedOptions,
    folder = LUA_FOLDER,
  ) {
    this.root = slotsRoot(options.prefix);
    this.scripts = new ScriptRunner(redis, loadLibrary(scriptSettings(options), folder));
  }

  get wakesKey(): string {
    return `${this.root}:wakes`;
  }

  channelOf(processId: string): string {
    return `${this.root}:offers:${processId}`;
  }

  async acquireSlot(request: StoredRequest, mode: AskMode, channel?: string): Promise<AcquireReply> {
    const reply = await this.run('acquire-slot', JSON.stringify({ ...request, mode, channel }));
    const [outcome, json] = reply;
    if (outcome === 'granted') return { outcome, ...toGrant(reply) };
    if (outcome === 'parked') return { outcome, ...(JSON.parse(json!) as AnyRefusal) };
    if (outcome === 'busy') return { outcome, ...(JSON.parse(json!) as AnyRefusal) };
    return outcome === 'disowned' ? { outcome } : { outcome: 'conflict' };
  }

  /** The time it was held in ms, or null when the lease was not in force any more. */
  async releaseSlot(
    placeId: string,
    leaseId: string,
    outcome: 'ok' | 'failed' | 'aborted',
  ): Promise<number | null> {
    const [word, holdMs] = await this.run('release-slot', placeId, leaseId, outcome);
    return word === 'released' ? Number(holdMs) : null;
  }

  async refuseSlot(
    placeId: string,
    leaseId: string,
    gate: { readonly endpointCap: string; readonly forMs: number; readonly reason: string },
  ): Promise<void> {
    await this.run(
      'refuse-slot',
      placeId,
      leaseId,
      gate.endpointCap,
      String(Math.ceil(gate.forMs)),
      gate.reason,
    );
  }

  async renewLeases(
    leases: readonly LeaseRecord[],
    waiters: readonly string[],
  ): Promise<{ readonly leases: LeaseState[]; readonly waiters: WaiterState[] }> {
    const [, json] = await this.run(
      'renew-leases',
      JSON.stringify(leases.map(({ placeId, leaseId }) => [placeId, leaseId])),
      JSON.stringify(waiters),
    );
    const states = JSON.parse(json!) as { leases: LeaseState[]; waiters: WaiterState[] };
    return { leases: asList(states.leases), waiters: asList(states.waiters) };
  }

  async reassertLease(lease: LeaseRecord): Promise<'held' | 'overrun' | 'lost'> {
    const [word] = await this.run('reassert-lease', JSON.stringify(lease));
    return word as 'held' | 'overrun' | 'lost';
  }

  /** Takes back what an attempt may have got whose answer never came. */
  async disownAttempt(placeId: string, nonce: string): Promise<void> {
    await this.run('disown-attempt', placeId, nonce);
  }

  /** `leaseId`: only while this offer stands. */
  async leavePlace(placeId: string, leaseId = ''): Promise<boolean> {
    const [word] = await this.run('leave-place', placeId, leaseId);
    return word === 'left';
  }

  async setLimit(cap: string, limit: number | null): Promise<void> {
    await this.run('set-limit', cap, limit === null ? '' : String(limit));
  }

  /** How many entries are still due: one call works off 64 at most. */
  async sweepSlots(): Promise<number> {
    const [, count] = await this.run('sweep-slots');
    return Number(count);
  }

  async confirmOffer(placeId: string, leaseId: string): Promise<boolean> {
    const [word] = await this.run('confirm-offer', placeId, leaseId);
    return word === 'open';
  }

  async notePrediction(placeId: string, predictedMs: number): Promise<void> {
    await this.run('note-prediction', placeId, String(predictedMs));
  }

  async viewOutlook(placeId: string): Promise<OutlookView | null> {
    const [word, json] = await this.run('view-outlook', placeId);
    return word === 'none' ? null : ({ state: word, ...(JSON.parse(json!) as object) } as OutlookView);
  }

  /** In the order of the names. */
  async viewCaps(names: readonly string[]): Promise<CapLoadView[]> {
    const [, json] = await this.run('view-caps', JSON.stringify(names));
    return asList(JSON.parse(json!) as CapLoadView[]);
  }

  async viewSnapshot(): Promise<CapView[]> {
    const views: CapView[] = [];
    for (;;) {
      const [, json] = await this.run('view-snapshot', String(views.length), String(SNAPSHOT_PAGE));
      const page = asList(JSON.parse(json!) as CapView[]);
      views.push(...page);
      if (page.length < SNAPSHOT_PAGE) return views;
    }
  }

  /** A page of the index of deadlines; `looked` under `count` was the last one. */
  async viewPlaces(
    skip: number,
    count: number,
  ): Promise<{ readonly looked: number; readonly placeIds: string[] }> {
    const [, looked, ...placeIds] = await this.run('view-places', String(skip), String(count));
    return { looked: Number(looked), placeIds };
  }

  async viewHeld(placeIds: readonly string[]): Promise<string[]> {
    const [, ...held] = await this.run('view-held', JSON.stringify(placeIds));
    return held;
  }

  async dropPlace(placeId: string): Promise<boolean> {
    const [word] = await this.run('drop-place', placeId);
    return word === 'dropped';
  }

  private run(name: ScriptName, ...args: string[]): Promise<string[]> {
    const pinned = this.options.pinnedTime?.();
    return this.scripts.run(name, this.root, [pinned === undefined ? '' : String(pinned), ...args]);
  }
}

/** An empty Lua table has no way to say that it is a list. */
function asList<T>(value: T[] | Record<string, never>): T[] {
  return Array.isArray(value) ? value : [];
}

function toGrant([, kind, leaseId, ticket, waitedMs, predictedMs, predictedForMs]: string[]): AnyGrant {
  const isPredicted = predictedMs !== undefined && predictedMs !== '';
  return {
    kind: kind as AnyGrant['kind'],
    leaseId: leaseId!,
    ticket: ticket!,
    waitedMs: Number(waitedMs),
    ...(isPredicted ? { predictedMs: Number(predictedMs), predictedForMs: Number(predictedForMs) } : {}),
  };
}
