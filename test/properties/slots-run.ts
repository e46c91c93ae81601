import { resolveOptions } from '../../libs/provider-slots/src/slots-options';
import { toStored, type LeaseRecord, type StoredRequest } from '../../libs/provider-slots/src/slot-records';
import { SlotStore, type AcquireReply } from '../../libs/provider-slots/src/slot-store';
import type Redis from 'ioredis';
import { GateBook } from './gate-book';
import { judge, promise, usedOf } from './judge';
import { readStoredState, type StoredPlace, type StoredState } from './stored-state';
import {
  capsOf,
  CLAIM_MS,
  GATE_MS,
  LEASE_MS,
  NEXT_TRY_MS,
  PROBE_MS,
  type Action,
  type Odd,
  type PlaceOutline,
  type Universe,
} from './universe';

/** Running work, as the process that does it sees it. */
interface Holder {
  readonly lease: LeaseRecord;
  /** Its process died: nobody renews it. */
  crashed: boolean;
}

interface Verdict {
  readonly acting?: readonly string[];
  readonly resumed?: readonly string[];
  readonly closed?: string;
  readonly newcomer?: string;
  /** Judges the acting places; runs after the books have been compared. */
  readonly check?: (before: StoredState, after: StoredState) => void;
}

/** As the store has it for a process that waits in place. */
const WAIT_ALIVE_MS = 10_000;
const IN_USE = ['held', 'overrun'];

/** Plays one sequence of commands against the real scripts and holds each step to the promises. */
export class SlotsRun {
  private readonly store: SlotStore;
  private readonly gates = new GateBook();
  private readonly holders = new Map<string, Holder>();
  /** Leases that were taken over, released or lost: their holders may still talk. */
  private readonly former: { readonly lease: LeaseRecord; readonly isOver: boolean }[] = [];
  private readonly tickets = new Map<string, string>();
  private readonly nonces = new Map<string, string>();
  private highest = 0;
  private nonceCount = 0;
  // Real time at first: Redis deletes at once what expires in its past.
  private now = Date.now();
  private state: StoredState = {
    places: new Map(),
    caps: new Map(),
    lanes: new Map(),
    due: new Map(),
    wakes: [],
  };
  readonly log: string[] = [];

  constructor(
    private readonly redis: Redis,
    private readonly universe: Universe,
    private readonly prefix: string,
    private readonly channel: string,
  ) {
    const options = resolveOptions({
      url: 'given',
      prefix,
      order: universe.order,
      leaseMs: LEASE_MS,
      claimMs: CLAIM_MS,
      nextTryMs: NEXT_TRY_MS,
      probeMs: PROBE_MS,
      pinnedTime: () => this.now,
    });
    this.store = new SlotStore(redis, options);
  }

  /** @throws BrokenPromise */
  async play(actions: readonly Action[]): Promise<void> {
    this.state = await this.read();
    for (const action of actions) await this.step(action);
    await this.drain();
  }

  private async step(action: Action): Promise<void> {
    const before = this.state;
    this.gates.noteTime(this.now, before);
    const verdict = await this.perform(action);
    const after = await this.read();
    this.state = after;
    const { acting = [], resumed = [], closed, newcomer, check } = verdict;
    if (closed) this.gates.close(closed, this.now + GATE_MS);
    const resumedSet = new Set(resumed);
    this.gates.noteState(before, after, resumedSet);
    judge({
      before,
      after,
      now: this.now,
      order: this.universe.order,
      acting: new Set(acting),
      resumed: resumedSet,
      closed,
      newcomer,
      gates: this.gates,
    });
    check?.(before, after);
    this.judgeGates(after);
    this.judgeHolders(after);
  }

  private async perform(action: Action): Promise<Verdict> {
    this.log.push(JSON.stringify(action));
    switch (action.do) {
      case 'ask':
        return this.ask(this.placeAt(action.place), action.mode, action.again, action.odd);
      case 'claim': {
        const offered = this.placesIn('offered');
        return offered.length === 0
          ? {}
          : this.ask(this.outlineOf(at(offered, action.pick).placeId), 'park', false, 'nothing');
      }
      case 'release':
        return this.withHolder(action.pick, (holder) => this.release(holder.lease, action.how));
      case 'refuse':
        return this.withHolder(action.pick, (holder) => this.refuse(holder.lease));
      case 'renew':
        return this.withHolder(action.pick, (holder) => this.renew([holder.lease]));
      case 'renewAll':
        return this.renew(
          [...this.holders.values()].filter(({ crashed }) => !crashed).map(({ lease }) => lease),
        );
      case 'crash':
        return this.withHolder(action.pick, async (holder) => {
          holder.crashed = true;
          return {};
        });
      case 'stale':
        return this.speakOfFormer(action.pick, action.how);
      case 'leave':
        return this.leave(this.placeAt(action.place).placeId);
      case 'drop':
        return this.drop(this.placeAt(action.place).placeId);
      case 'sweep':
        await this.store.sweepSlots();
        return {};
      case 'loseWake':
        await this.redis.lpop(this.store.wakesKey);
        return {};
      case 'advance':
        this.now += action.ms;
        this.gates.noteTime(this.now, this.state);
        await this.store.sweepSlots();
        return {};
      case 'setLimit': {
        const cap = at(this.capNames(), action.cap);
        await this.store.setLimit(cap, action.limit);
        return {
          check: (_before, after) =>
            promise(
              'P1 cap',
              action.limit === null || after.caps.get(cap)!.limit === action.limit,
              () => `${cap} has limit ${after.caps.get(cap)!.limit}`,
            ),
        };
      }
      case 'wipe':
        return this.wipe();
    }
  }

  private async ask(outline: PlaceOutline, mode: 'try' | 'park', again: boolean, odd: Odd): Promise<Verdict> {
    const { placeId, group } = outline;
    const nonce = (again && this.nonces.get(placeId)) || `n${(this.nonceCount += 1)}`;
    const caps = odd === 'other caps' ? capsOf((outline.caps.length % 3) + 1, group) : outline.caps;
    const presented = odd === 'presents its ticket' ? this.tickets.get(placeId) : undefined;
    const request: StoredRequest = toStored(
      {
        placeId,
        group,
        ticket: presented,
        caps: caps.map((name) => ({ name, limit: this.limitOf(name, odd) })),
        ...(outline.wakeBy === 'wake' ? { wake: placeId } : {}),
        ...(odd === 'expires soon' ? { expiresInMs: 1_500 } : {}),
      },
      nonce,
    );
    const channels = { wake: undefined, channel: this.channel, deaf: `${this.channel}:deaf` };
    const reply = await this.store.acquireSlot(request, mode, channels[outline.wakeBy]);
    const holder = this.holders.get(placeId);
    const isRetry = reply.outcome === 'granted' && reply.kind === 'again';
    if (reply.outcome === 'granted') this.noteGrant(request, nonce, reply.leaseId, reply.ticket);
    else if (reply.outcome === 'parked') this.tickets.set(placeId, reply.ticket!);
    return {
      acting: [placeId],
      ...(reply.outcome === 'granted' && reply.kind === 'fresh' ? { newcomer: placeId } : {}),
      check: (before, after) =>
        this.checkAsk(
          reply,
          { outline, caps, mode, presented, isRetry, nonce },
          holder,
          before.places.get(placeId),
          after,
        ),
    };
  }

  private checkAsk(
    reply: AcquireReply,
    asked: {
      outline: PlaceOutline;
      caps: readonly string[];
      mode: string;
      presented?: string;
      isRetry: boolean;
      nonce: string;
    },
    holder: Holder | undefined,
    was: StoredPlace | undefined,
    after: StoredState,
  ): void {
    const { placeId } = asked.outline;
    const is = after.places.get(placeId);
    const inUse = was !== undefined && IN_USE.includes(was.state);
    const sameCaps = was !== undefined && was.caps.join() === asked.caps.join();
    if (inUse && !sameCaps) {
      return promise(
        'P7 idempotence',
        reply.outcome === 'conflict' && is?.leaseId === was.leaseId,
        () => `asked with other caps: ${reply.outcome}`,
      );
    }
    if (reply.outcome === 'granted') {
      promise(
        'P7 idempotence',
        is !== undefined && IN_USE.includes(is.state) && is.leaseId === reply.leaseId,
        () => `${placeId} granted, but ${is?.state}`,
      );
      if (asked.isRetry) {
        const leases = [holder?.lease, ...this.former.map(({ lease }) => lease)];
        const isSame = leases.some(
          (lease) => lease?.leaseId === reply.leaseId && lease.nonce === asked.nonce,
        );
        promise('P7 idempotence', inUse && isSame, () => 'another attempt was taken for a retry');
      }
      // After a wipe a predecessor may hold the place again; then this is an attempt of another.
      if (inUse && holder?.lease.nonce === asked.nonce && holder.lease.leaseId === was.leaseId)
        promise(
          'P7 idempotence',
          asked.isRetry && was.state === is!.state,
          () => `a retry was ${reply.kind}`,
        );
      promise('P1 cap', !(inUse && reply.kind === 'fresh'), () => 'a held place took a second slot');
      this.checkTicket(reply.ticket, asked.presented, was);
      return;
    }
    if (reply.outcome === 'conflict' || reply.outcome === 'disowned')
      return promise('P7 idempotence', false, () => 'a conflict that is none');
    if (inUse) {
      const isClosed = asked.caps.some((name) => this.gates.isClosed(name, this.now));
      promise('P13 gate', isClosed, () => `a take-over was ${reply.outcome} by ${reply.cap}`);
    }
    if (reply.outcome === 'parked') {
      const deaf = is?.state === 'aside' && asked.outline.wakeBy === 'deaf';
      promise(
        'P5 hand-off',
        is?.state === 'waiting' || is?.state === 'offered' || deaf,
        () => `${placeId} parked, but ${is?.state}`,
      );
      this.checkTicket(reply.ticket!, asked.presented, was);
      return;
    }
    promise(
      'P4 all or nothing',
      asked.mode === 'try' && (is === undefined || !['held', 'overrun', 'offered'].includes(is.state)),
      () => `busy, but ${is?.state}`,
    );
    const blocked = asked.caps.some((name) => {
      const cap = after.caps.get(name)!;
      return (
        (cap.limit !== null && cap.held.size + cap.overrun.size >= cap.limit) ||
        this.gates.mayBlock(name, new Set())
      );
    });
    promise('P2 full quota', blocked, () => `${placeId} was refused although every cap has room`);
  }

  /** P14: of the ticket in the row and the one in the store the earlier; a new one is above all there ever were. */
  private checkTicket(ticket: string, presented: string | undefined, was: StoredPlace | undefined): void {
    const kept = was && was.state !== 'ended' ? [was.ticket] : [];
    const known = [...kept, ...(presented ? [presented] : [])].map(Number);
    if (known.length > 0)
      promise(
        'P14 tickets',
        Number(ticket) === Math.min(...known),
        () => `ticket ${ticket} of ${known.join(' and ')}`,
      );
    else
      promise(
        'P14 tickets',
        Number(ticket) > this.highest,
        () => `new ticket ${ticket} after ${this.highest}`,
      );
    this.highest = Math.max(this.highest, Number(ticket));
  }

  private noteGrant(request: StoredRequest, nonce: string, leaseId: string, ticket: string): void {
    const { placeId, caps, group } = request;
    const previous = this.holders.get(placeId);
    if (previous && previous.lease.leaseId !== leaseId)
      this.former.push({ lease: previous.lease, isOver: false });
    this.nonces.set(placeId, nonce);
    this.tickets.set(placeId, ticket);
    this.gates.noteStarted(placeId, this.now);
    this.holders.set(placeId, {
      lease: { placeId, leaseId, nonce, caps, group, ticket, leaseMs: LEASE_MS, degraded: false },
      crashed: false,
    });
  }

  private async release(lease: LeaseRecord, how: number): Promise<Verdict> {
    const outcome = (['ok', 'ok', 'ok', 'failed', 'aborted'] as const)[how % 5]!;
    const holdMs = await this.store.releaseSlot(lease.placeId, lease.leaseId, outcome);
    this.lose(lease, true);
    if (holdMs !== null && outcome === 'ok') this.gates.noteEndedWell(lease.placeId, this.state);
    return { acting: [lease.placeId], check: this.checkEnd(lease, holdMs !== null) };
  }

  private async refuse(lease: LeaseRecord): Promise<Verdict> {
    const closed = lease.caps.at(-1)!.name;
    this.lose(lease, true);
    await this.store.refuseSlot(lease.placeId, lease.leaseId, {
      endpointCap: closed,
      forMs: GATE_MS,
      reason: 'rate_limited',
    });
    return { acting: [lease.placeId], closed, check: this.checkEnd(lease, undefined) };
  }

  /** The lease in force ends its place; any other leaves it as it was. */
  private checkEnd({ placeId, leaseId }: LeaseRecord, ended: boolean | undefined) {
    return (before: StoredState, after: StoredState): void => {
      const was = before.places.get(placeId);
      const is = after.places.get(placeId);
      const isOwn =
        was !== undefined && was.leaseId === leaseId && [...IN_USE, 'offered'].includes(was.state);
      if (ended !== undefined)
        promise('P7 idempotence', ended === isOwn, () => `release by ${leaseId} ${ended}, own ${isOwn}`);
      if (isOwn)
        promise(
          'P7 idempotence',
          is === undefined || is.state === 'ended',
          () => `released, but ${is?.state}`,
        );
      else if (was && IN_USE.includes(was.state))
        promise(
          'P7 idempotence',
          is?.leaseId === was.leaseId && is.state === was.state,
          () => `a stranger's release made ${was.state} ${is?.state}`,
        );
    };
  }

  private async renew(leases: readonly LeaseRecord[]): Promise<Verdict> {
    const waiters = this.placesIn('waiting').filter(({ channel }) => channel === this.channel);
    const waiterIds = waiters.map(({ placeId }) => placeId);
    const { leases: said } = await this.store.renewLeases(leases, waiterIds);
    const states: string[] = [...said];
    for (const [i, lease] of leases.entries()) {
      if (states[i] === 'unknown') states[i] = await this.store.reassertLease(lease);
      if (states[i] === 'lost') this.lose(lease);
      else if (this.state.places.get(lease.placeId)?.state === 'offered')
        this.gates.noteStarted(lease.placeId, this.now);
    }
    const acting = leases.map(({ placeId }) => placeId);
    const resumed = acting.filter((_placeId, i) => states[i] === 'held');
    return {
      acting: [...acting, ...waiterIds],
      resumed,
      check: (before, after) => {
        leases.forEach((lease, i) => checkRenewal(lease, states[i]!, before, after));
        for (const placeId of waiterIds) {
          const is = after.places.get(placeId);
          // Its word need not be written down each time, but it is good for more than one renewal to come.
          const least = Math.min(this.now + 0.6 * WAIT_ALIVE_MS, is?.expiresAt ?? Infinity);
          const isAlive = is?.state === 'offered' || (is?.state === 'waiting' && (is.dueAt ?? 0) >= least);
          promise('P6 crash', isAlive, () => `${placeId} stands by, but is ${is?.state} until ${is?.dueAt}`);
        }
      },
    };
  }

  private async speakOfFormer(pick: number, how: number): Promise<Verdict> {
    if (this.former.length === 0) return {};
    const { lease, isOver } = at(this.former, pick);
    if (how < 4) return this.release(lease, how);
    if (how < 5) return this.refuse(lease);
    // Whoever has ended its own lease renews it no more.
    return isOver ? this.release(lease, how) : this.renew([lease]);
  }

  private async leave(placeId: string): Promise<Verdict> {
    const left = await this.store.leavePlace(placeId);
    return {
      acting: [placeId],
      check: (before, after) => {
        const was = before.places.get(placeId);
        const is = after.places.get(placeId);
        const mayLeave = was !== undefined && ['waiting', 'offered', 'aside'].includes(was.state);
        promise('P7 idempotence', left === mayLeave, () => `${was?.state} left: ${left}`);
        if (left) promise('P7 idempotence', is === undefined, () => `left, but ${is?.state}`);
        else
          promise(
            'P7 idempotence',
            is?.state === was?.state && is?.leaseId === was?.leaseId,
            () => `leave made ${was?.state} ${is?.state}`,
          );
      },
    };
  }

  private async drop(placeId: string): Promise<Verdict> {
    await this.store.dropPlace(placeId);
    return {
      acting: [placeId],
      check: (before, after) => {
        const was = before.places.get(placeId);
        const expected = was && IN_USE.includes(was.state) ? 'ended' : undefined;
        promise(
          'P7 idempotence',
          after.places.get(placeId)?.state === expected,
          () => `dropped, but ${after.places.get(placeId)?.state}`,
        );
      },
    };
  }

  private async wipe(): Promise<Verdict> {
    const keys = await this.redis.keys(`${this.prefix}*`);
    if (keys.length > 0) await this.redis.del(...keys);
    // Redis never comes back within the microsecond in which it went.
    this.now += 1;
    this.gates.clear();
    return { acting: this.universe.places.map(({ placeId }) => placeId) };
  }

  private judgeGates(after: StoredState): void {
    for (const cap of after.caps.values()) {
      const until = this.gates.untilOf(cap.name);
      if (until !== null && this.gates.isProven(cap.name)) continue;
      promise(
        'P13 gate',
        cap.gateUntil === until,
        () => `the gate of ${cap.name} stands until ${cap.gateUntil}, should until ${until}`,
      );
      if (until !== null)
        promise('P13 gate', this.gates.probesOf(cap.name).size <= 1, () => `two probes at ${cap.name}`);
    }
  }

  /** A place moved on without its holder: the holder will learn it, and may still talk. */
  private judgeHolders(after: StoredState): void {
    for (const [placeId, { lease }] of this.holders) {
      const place = after.places.get(placeId);
      if (place && place.leaseId !== lease.leaseId && !(Number(place.leaseId) < Number(lease.leaseId)))
        this.lose(lease);
      else if (place && place.leaseId === '') this.lose(lease);
    }
  }

  private lose(lease: LeaseRecord, isOver = false): void {
    if (this.holders.get(lease.placeId)?.lease.leaseId === lease.leaseId) this.holders.delete(lease.placeId);
    this.former.push({ lease, isOver });
  }

  /** Everybody who still waits is served once the others end, and nothing is left behind. */
  private async drain(): Promise<void> {
    const isOpen = (): boolean =>
      this.holders.size > 0 ||
      ['waiting', 'offered', 'held', 'overrun'].some((state) => this.placesIn(state).length > 0);
    for (let round = 0; isOpen(); round += 1) {
      promise(
        'P2 full quota',
        round < 200,
        () => `still not drained: ${JSON.stringify([...this.state.places.values()])}`,
      );
      if (this.placesIn('offered').length > 0) await this.step({ do: 'claim', pick: 0, how: 0 });
      else if (this.holders.size > 0) await this.step({ do: 'release', pick: 0, how: 0 });
      else await this.step({ do: 'advance', ms: GATE_MS });
    }
    for (const cap of this.state.caps.values()) {
      promise(
        'P6 crash',
        cap.held.size + cap.overruns + cap.waiting + cap.groups.length === 0,
        () => `${cap.name} is not empty`,
      );
    }
    for (const key of await this.redis.keys(`${this.prefix}*`)) {
      const expires =
        (await this.redis.pttl(key)) > 0 || (await this.redis.hexists(key, 'override').catch(() => 0)) === 1;
      promise('P10 cost', expires, () => `${key} never expires`);
      promise('P12 one tag', key.startsWith(`${this.store.root}:`), () => key);
      await this.redis.del(key);
    }
  }

  private async withHolder(pick: number, act: (holder: Holder) => Promise<Verdict>): Promise<Verdict> {
    return this.holders.size === 0 ? {} : act(at([...this.holders.values()], pick));
  }

  private placesIn(state: string): StoredPlace[] {
    return [...this.state.places.values()].filter((place) => place.state === state);
  }

  private placeAt(index: number): PlaceOutline {
    return at(this.universe.places, index);
  }

  private outlineOf(placeId: string): PlaceOutline {
    return this.universe.places.find((place) => place.placeId === placeId)!;
  }

  private limitOf(cap: string, odd: Odd): number | null {
    const limit = this.universe.limits[cap]!;
    return odd === 'other limit' ? ((limit ?? 2) % 3) + 1 : limit;
  }

  private capNames(): string[] {
    return Object.keys(this.universe.limits);
  }

  private read(): Promise<StoredState> {
    const placeIds = this.universe.places.map(({ placeId }) => placeId);
    return readStoredState(this.redis, this.store.root, placeIds, this.capNames());
  }
}

/** What a renewal may answer, from where the place was. */
function checkRenewal(lease: LeaseRecord, final: string, before: StoredState, after: StoredState): void {
  const was = before.places.get(lease.placeId);
  const is = after.places.get(lease.placeId);
  const what = () =>
    `${was?.state ?? 'none'} ${was?.leaseId ?? ''} renewed by ${lease.leaseId}: ${final}, now ${is?.state}`;
  const isOwn = was?.leaseId === lease.leaseId && was.state !== 'ended';
  const isOutlived =
    was !== undefined && IN_USE.includes(was.state) && Number(was.leaseId) < Number(lease.leaseId);
  if (was && !isOwn && !isOutlived) return promise('P7 idempotence', final === 'lost', what);
  promise('P8 overrun', final === 'held' || final === 'overrun', what);
  promise('P8 overrun', is?.state === final && is.leaseId === lease.leaseId, what);
  if (was?.state === 'held' && isOwn) promise('P8 overrun', final === 'held', what);
  if (final === 'overrun') {
    const isFull = is!.caps.some((name) => {
      const cap = after.caps.get(name)!;
      return cap.limit !== null && usedOf(cap) - 1 >= cap.limit;
    });
    promise('P8 overrun', isFull, () => `${what()} although there is room`);
  }
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length]!;
}
