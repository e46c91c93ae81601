import type { GateBook } from './gate-book';
import type { StoredCap, StoredPlace, StoredState } from './stored-state';

/** One command and what the store looked like before and after it. */
export interface Step {
  readonly before: StoredState;
  readonly after: StoredState;
  readonly now: number;
  readonly order: 'fair' | 'fifo';
  /** The places that the command was about; each verb judges them itself. */
  readonly acting: ReadonlySet<string>;
  /** Running work that was renewed or re-asserted: it goes on, gate or not. */
  readonly resumed: ReadonlySet<string>;
  /** The cap whose gate the command closed. */
  readonly closed?: string;
  /** Granted at once to somebody who did not wait. */
  readonly newcomer?: string;
  readonly gates: GateBook;
}

export class BrokenPromise extends Error {}

export function promise(name: string, holds: boolean, what: () => string): void {
  if (!holds) throw new BrokenPromise(`${name}: ${what()}`);
}

/** Everything that must be true whatever the command was. @throws BrokenPromise */
export function judge(step: Step): void {
  judgeBystanders(step);
  judgeBooks(step.after, step.now, step.acting);
  judgeAdmissions(step);
  judgeIdleness(step);
}

/** Nobody's place changes but by what has fallen due, by an offer, or by a gate. */
function judgeBystanders({ before, after, now, acting, closed }: Step): void {
  for (const placeId of new Set([...before.places.keys(), ...after.places.keys()])) {
    if (acting.has(placeId)) continue;
    const was = before.places.get(placeId);
    const is = after.places.get(placeId);
    const change = `${placeId} ${was?.state ?? 'none'} → ${is?.state ?? 'none'}`;
    const isDue = was?.dueAt !== null && was?.dueAt !== undefined && was.dueAt <= now;
    const same = was?.state === is?.state && was?.leaseId === is?.leaseId && was?.ticket === is?.ticket;
    if (!was) promise('P7 idempotence', !is, () => change);
    else if (was.state === 'held' || was.state === 'overrun') {
      if (isDue) promise('P6 crash', is?.state === 'lapsed', () => `${change}, lease run out`);
      else promise('P7 idempotence', same && is?.dueAt === was.dueAt, () => `${change}, lease in force`);
    } else if (was.state === 'offered') {
      if (isDue) {
        const expected = was.expiresAt !== null && was.expiresAt <= now ? undefined : 'aside';
        promise('P6 crash', is?.state === expected, () => `${change}, offer unclaimed`);
      } else if (closed && was.caps.includes(closed)) {
        promise(
          'P13 gate',
          is?.state === 'waiting' && is.ticket === was.ticket,
          () => `${change}, gate closed`,
        );
      } else promise('P7 idempotence', same, () => `${change}, offer stands`);
    } else if (was.state === 'waiting') {
      if (isDue) promise('P6 crash', !is, () => `${change}, waiter dead`);
      else {
        // Nobody hears of an offer on a channel that nobody listens to, and so none is made there.
        const offered = is?.state === (was.channel.endsWith(':deaf') ? 'aside' : 'offered');
        promise('P3 order', is !== undefined && is.ticket === was.ticket, () => `${change}, ticket kept`);
        promise('P5 hand-off', same || offered, () => change);
      }
    } else if (was.state === 'aside') {
      promise('P6 crash', isDue ? !is : same, () => change);
    } else promise('P7 idempotence', same, () => change);
  }
}

/** Counts, lanes, heads and deadlines all tell the same story. */
function judgeBooks(state: StoredState, now: number, acting: ReadonlySet<string>): void {
  for (const cap of state.caps.values()) {
    const held = placesIn(state, cap, ['held', 'offered']);
    const overrun = placesIn(state, cap, ['overrun']);
    promise(
      'P4 all or nothing',
      sameSet(held, cap.held.keys()),
      () => `held of ${cap.name}: ${[...cap.held.keys()]}, states say ${held}`,
    );
    promise(
      'P8 overrun',
      sameSet(overrun, cap.overrun.keys()),
      () => `overruns of ${cap.name}: ${[...cap.overrun.keys()]}`,
    );
    promise(
      'P8 overrun',
      cap.overruns === cap.overrun.size,
      () => `${cap.name} counts ${cap.overruns} overruns`,
    );
    const waiting = [...state.places.values()].filter(
      (place) => (place.state === 'waiting' || place.state === 'offered') && place.at === cap.name,
    );
    promise(
      'P10 cost',
      cap.waiting === waiting.length,
      () => `${cap.name} counts ${cap.waiting} waiting, ${waiting.length} do`,
    );
    const heads = new Map<string, number>();
    for (const { state: word, at, group, ticket, lane } of waiting) {
      if (word !== 'waiting') continue;
      const inLine = cap.groups.find((entry) => entry.group === group || entry.group === '');
      promise(
        'P2 full quota',
        inLine !== undefined,
        () => `group ${group} of lane ${lane} stands not in line at ${at}`,
      );
      const key = inLine!.group;
      heads.set(key, Math.min(heads.get(key) ?? Infinity, Number(ticket)));
    }
    promise(
      'P3 order',
      cap.groups.length === heads.size,
      () => `${cap.name} has ${cap.groups.length} groups in line, ${heads.size} wait`,
    );
    for (const { group, head } of cap.groups)
      promise(
        'P3 order',
        heads.get(group) === head,
        () => `group ${group} at ${cap.name} goes by ${head}, its head is ${heads.get(group)}`,
      );
  }
  for (const place of state.places.values()) judgePlaceBooks(state, place, now, acting);
}

function judgePlaceBooks(
  state: StoredState,
  place: StoredPlace,
  now: number,
  acting: ReadonlySet<string>,
): void {
  const { placeId, dueAt } = place;
  if (place.state === 'waiting') {
    const entry = state.lanes.get(place.lane)?.find((waiter) => waiter.placeId === placeId);
    promise(
      'P14 tickets',
      entry?.ticket === Number(place.ticket),
      () => `${placeId} waits by ${entry?.ticket}, its ticket is ${place.ticket}`,
    );
  }
  if (place.state === 'offered' && place.wake !== '') {
    promise(
      'P2 full quota',
      state.due.has(`w:${placeId}`),
      () => `the offer of ${placeId} is not announced again`,
    );
  }
  const isOver = place.state === 'lapsed' || place.state === 'ended';
  promise('P6 crash', isOver === (dueAt === null), () => `${placeId} is ${place.state} and due at ${dueAt}`);
  const isWorkedOff = dueAt === null || dueAt > now || acting.has(placeId);
  promise('P6 crash', isWorkedOff, () => `${placeId} (${place.state}) is overdue`);
}

/** Whoever got a slot in this step had a right to it, and to it first. */
function judgeAdmissions(step: Step): void {
  const { before, after, now, resumed, gates } = step;
  const newOverruns = new Set(
    [...after.places.values()]
      .filter((p) => p.state === 'overrun' && before.places.get(p.placeId)?.state !== 'overrun')
      .map((p) => p.placeId),
  );
  const admitted = [...after.places.values()].filter((place) => {
    const was = before.places.get(place.placeId);
    const had = was !== undefined && ['held', 'offered', 'overrun'].includes(was.state);
    return (place.state === 'held' || place.state === 'offered') && !had;
  });
  for (const place of admitted) {
    for (const name of place.caps) {
      const [cap, was] = [after.caps.get(name)!, before.caps.get(name)!];
      const limit = cap.limit === null || was.limit === null ? Infinity : Math.max(cap.limit, was.limit);
      const used = usedOf(cap, newOverruns);
      promise(
        'P1 cap',
        used <= limit,
        () => `${used} of ${limit} in use at ${name} after ${place.placeId} was admitted`,
      );
      if (!resumed.has(place.placeId)) {
        promise(
          'P13 gate',
          !gates.isClosed(name, now),
          () => `${place.placeId} was admitted at ${name}, whose gate is closed`,
        );
      }
    }
  }
  for (const waiter of waitersOf(after)) {
    if (step.acting.has(waiter.placeId) || before.places.get(waiter.placeId)?.state !== 'waiting') continue;
    const passedBy = admitted.filter(
      ({ placeId, lane, state, ticket }) =>
        state === 'offered' &&
        lane === waiter.lane &&
        Number(ticket) > Number(waiter.ticket) &&
        placeId !== waiter.placeId,
    );
    promise(
      'P3 order',
      passedBy.length === 0,
      () => `${passedBy[0]?.placeId} was served before ${waiter.placeId} of the same lane`,
    );
    if (step.newcomer) {
      const barged = isAdmissible(waiter, after, gates, new Set([step.newcomer]));
      promise(
        'P5 hand-off',
        !barged,
        () => `${step.newcomer} was admitted before ${waiter.placeId}, which could have been`,
      );
    }
    if (step.order === 'fifo') {
      const later = admitted.filter(
        (place) => Number(place.ticket) > Number(waiter.ticket) && !resumed.has(place.placeId),
      );
      const passed =
        later.length > 0 && isAdmissible(waiter, after, gates, new Set(later.map(({ placeId }) => placeId)));
      promise('P3 order', !passed, () => `fifo: ${later[0]?.placeId} was served before ${waiter.placeId}`);
    }
  }
}

/** No free slot beside somebody who could have it. */
function judgeIdleness({ after, gates }: Step): void {
  for (const waiter of waitersOf(after)) {
    promise(
      'P2 full quota',
      !isAdmissible(waiter, after, gates),
      () => `${waiter.placeId} waits although nothing blocks it`,
    );
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whether nothing blocks the waiter once the `absent` are thought away. */
function isAdmissible(waiter: StoredPlace, state: StoredState, gates: GateBook, absent = NOBODY): boolean {
  return waiter.caps.every((name) => {
    const cap = state.caps.get(name)!;
    return (cap.limit === null || usedOf(cap, absent) < cap.limit) && !gates.mayBlock(name, absent);
  });
}

export function usedOf(cap: StoredCap, absent: ReadonlySet<string> = NOBODY): number {
  return [...cap.held.keys(), ...cap.overrun.keys()].filter((placeId) => !absent.has(placeId)).length;
}

export function waitersOf(state: StoredState): StoredPlace[] {
  return [...state.places.values()].filter((place) => place.state === 'waiting');
}

function placesIn(state: StoredState, cap: StoredCap, states: readonly string[]): string[] {
  return [...state.places.values()]
    .filter((place) => states.includes(place.state) && place.caps.includes(cap.name))
    .map(({ placeId }) => placeId);
}

function sameSet(one: Iterable<string>, other: Iterable<string>): boolean {
  return [...one].sort().join() === [...other].sort().join();
}
