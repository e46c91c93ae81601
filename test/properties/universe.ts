import * as fc from 'fast-check';

/** What one run of random commands plays with: few places, few caps, so that they meet. */
export interface Universe {
  readonly order: 'fair' | 'fifo';
  readonly groups: readonly string[];
  /** By cap; null is no limit. */
  readonly limits: Readonly<Record<string, number | null>>;
  readonly places: readonly PlaceOutline[];
}

export interface PlaceOutline {
  readonly placeId: string;
  readonly group: string;
  readonly caps: readonly string[];
  /** How it learns of an offer: a parked job's wake, a channel somebody listens on, or one that nobody does. */
  readonly wakeBy: 'wake' | 'channel' | 'deaf';
}

export type Action =
  | {
      readonly do: 'ask';
      readonly place: number;
      readonly mode: 'try' | 'park';
      readonly again: boolean;
      readonly odd: Odd;
    }
  | {
      readonly do: 'claim' | 'renew' | 'crash' | 'release' | 'refuse';
      readonly pick: number;
      readonly how: number;
    }
  | { readonly do: 'leave' | 'drop'; readonly place: number }
  | { readonly do: 'stale'; readonly pick: number; readonly how: number }
  | { readonly do: 'renewAll' | 'sweep' | 'loseWake' | 'wipe' }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'setLimit'; readonly cap: number; readonly limit: number | null };

/** What is unusual about a request, mostly nothing. */
export type Odd = 'nothing' | 'presents its ticket' | 'other caps' | 'other limit' | 'expires soon';

export const LEASE_MS = 10_000;
export const CLAIM_MS = 2_000;
export const NEXT_TRY_MS = 1_000;
export const PROBE_MS = 5_000;
export const GATE_MS = 4_000;

/** Nested as ours are: a team's own cap, the fleet's, the endpoint's. */
export function capsOf(depth: number, group: string): string[] {
  return [`team:${group}`, 'fleet', 'endpoint'].slice(3 - depth);
}

const MOST_PLACES = 10;

const outline = (groups: readonly string[], shape: 'shared' | 'stacked' | 'mixed') =>
  fc.record({
    group: fc.constantFrom(...groups),
    depth: shape === 'mixed' ? fc.constantFrom(1, 1, 2, 3, 3) : fc.constant(shape === 'shared' ? 1 : 3),
    wakeBy: fc.constantFrom('wake', 'wake', 'wake', 'channel', 'deaf') as fc.Arbitrary<
      PlaceOutline['wakeBy']
    >,
  });

export const universes: fc.Arbitrary<Universe> = fc
  .record({
    order: fc.constantFrom('fair', 'fair', 'fifo') as fc.Arbitrary<Universe['order']>,
    groups: fc.constantFrom(['a', 'b'], ['a', 'b'], ['a', 'b', 'c'], ['a']),
    shape: fc.constantFrom('shared', 'stacked', 'mixed') as fc.Arbitrary<'shared' | 'stacked' | 'mixed'>,
    team: fc.constantFrom(1, 1, 2),
    fleet: fc.constantFrom(1, 2, 2, 3),
    endpoint: fc.constantFrom(1, 2, 2, 3, null),
  })
  .chain(({ order, groups, shape, team, fleet, endpoint }) =>
    fc.array(outline(groups, shape), { minLength: 4, maxLength: MOST_PLACES }).map((outlines) => ({
      order,
      groups,
      limits: {
        fleet,
        endpoint,
        ...Object.fromEntries(groups.map((group) => [`team:${group}`, team])),
      },
      places: outlines.map(({ group, depth, wakeBy }, index) => ({
        placeId: `p${index}`,
        group,
        wakeBy,
        caps: capsOf(depth, group),
      })),
    })),
  );

const pick = fc.nat({ max: 9 });

export const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 30,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        place: fc.nat({ max: MOST_PLACES - 1 }),
        mode: fc.constantFrom('park' as const, 'park' as const, 'park' as const, 'try' as const),
        again: fc.boolean(),
        odd: fc.oneof(
          { weight: 8, arbitrary: fc.constant<Odd>('nothing') },
          {
            weight: 4,
            arbitrary: fc.constantFrom<Odd>(
              'presents its ticket',
              'other caps',
              'other limit',
              'expires soon',
            ),
          },
        ),
      }),
    },
    { weight: 14, arbitrary: fc.record({ do: fc.constant('claim' as const), pick, how: pick }) },
    { weight: 18, arbitrary: fc.record({ do: fc.constant('release' as const), pick, how: pick }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('renew' as const, 'crash' as const), pick, how: pick }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('refuse' as const), pick, how: pick }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('stale' as const), pick, how: pick }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('leave' as const, 'leave' as const, 'leave' as const, 'drop' as const),
        place: fc.nat({ max: MOST_PLACES - 1 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('renewAll' as const, 'renewAll' as const, 'sweep' as const, 'loseWake' as const),
      }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.constantFrom(0, 1, 100, 999, 1_000, 2_000, GATE_MS, 5_000, 9_999, LEASE_MS, 700_000),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('setLimit' as const),
        cap: pick,
        limit: fc.constantFrom(1, 2, 3, null),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wipe' as const) }) },
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
);
