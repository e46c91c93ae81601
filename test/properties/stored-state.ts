import type Redis from 'ioredis';

export interface StoredPlace {
  readonly placeId: string;
  readonly state: 'waiting' | 'offered' | 'held' | 'overrun' | 'aside' | 'lapsed' | 'ended';
  readonly leaseId: string;
  readonly ticket: string;
  readonly group: string;
  readonly caps: readonly string[];
  /** The cap whose queue the place's lane stands in, or the offer came from. */
  readonly at: string;
  readonly lane: string;
  readonly wake: string;
  readonly channel: string;
  readonly expiresAt: number | null;
  /** When the index of deadlines has something to do about it. */
  readonly dueAt: number | null;
}

export interface StoredCap {
  readonly name: string;
  readonly limit: number | null;
  readonly gateUntil: number | null;
  readonly overruns: number;
  readonly waiting: number;
  readonly held: ReadonlyMap<string, number>;
  readonly overrun: ReadonlyMap<string, number>;
  /** Group and the ticket at its head, in the order of service. */
  readonly groups: readonly { readonly group: string; readonly head: number }[];
}

/** Everything that the store knows about one universe, read in one step. */
export interface StoredState {
  readonly places: ReadonlyMap<string, StoredPlace>;
  readonly caps: ReadonlyMap<string, StoredCap>;
  /** Lane id to its waiters, in the order of service. */
  readonly lanes: ReadonlyMap<string, readonly { readonly placeId: string; readonly ticket: number }[]>;
  readonly due: ReadonlyMap<string, number>;
  readonly wakes: readonly string[];
}

const READ = `
local root, asked = KEYS[1], cjson.decode(ARGV[1])
local function pairsOf(raw)
  local map = {}
  for i = 1, #raw, 2 do map[raw[i]] = raw[i + 1] end
  return map
end
local state = { places = {}, caps = {}, lanes = {}, due = redis.call('ZRANGE', root .. ':due', 0, -1, 'WITHSCORES'),
  wakes = redis.call('LRANGE', root .. ':wakes', 0, -1) }
for _, placeId in ipairs(asked.places) do
  local place = pairsOf(redis.call('HGETALL', root .. ':place:' .. placeId))
  if place.state then
    state.places[#state.places + 1] = place
    place.placeId = placeId
    if place.state == 'waiting' then
      place.at = redis.call('HGET', root .. ':lane:' .. place.lane, 'at') or ''
      state.lanes[place.lane] = redis.call('ZRANGE', root .. ':lane:' .. place.lane .. ':waiters', 0, -1, 'WITHSCORES')
    end
  end
end
for _, name in ipairs(asked.caps) do
  local key = root .. ':cap:' .. name
  local cap = pairsOf(redis.call('HGETALL', key))
  cap.name = name
  cap.held = redis.call('ZRANGE', key .. ':held', 0, -1, 'WITHSCORES')
  cap.overrun = redis.call('ZRANGE', key .. ':overrun', 0, -1, 'WITHSCORES')
  cap.groups = redis.call('ZRANGE', key .. ':groups', 0, -1)
  state.caps[#state.caps + 1] = cap
end
return cjson.encode(state)`;

type Raw = Record<string, string>;
type RawList = string[] | Record<string, never>;

/** Reads the store behind its back. Only a test may know its keys. */
export async function readStoredState(
  redis: Redis,
  root: string,
  placeIds: readonly string[],
  capNames: readonly string[],
): Promise<StoredState> {
  const asked = JSON.stringify({ places: placeIds, caps: capNames });
  const raw = JSON.parse((await redis.eval(READ, 1, root, asked)) as string) as {
    places: Raw[] | Raw;
    caps: (Raw & { held: RawList; overrun: RawList; groups: RawList })[];
    lanes: Record<string, RawList>;
    due: RawList;
    wakes: RawList;
  };
  const due = scores(raw.due);
  const places = listOf(raw.places as Raw[]).map(
    (place) => [place['placeId']!, toPlace(place, due)] as const,
  );
  return {
    due,
    places: new Map(places),
    caps: new Map(raw.caps.map((cap) => [cap.name!, toCap(cap)])),
    lanes: new Map(
      Object.entries(raw.lanes).map(([lane, waiters]) => [
        lane,
        [...scores(waiters)].map(([placeId, ticket]) => ({ placeId, ticket })),
      ]),
    ),
    wakes: listOf(raw.wakes as string[]),
  };
}

function toPlace(raw: Raw, due: ReadonlyMap<string, number>): StoredPlace {
  return {
    placeId: raw['placeId']!,
    state: raw['state'] as StoredPlace['state'],
    leaseId: raw['leaseId'] ?? '',
    ticket: raw['ticket'] ?? '',
    group: raw['group'] ?? '',
    caps: (raw['caps'] ?? '').split('\n'),
    at: raw['at'] ?? '',
    lane: raw['lane'] ?? '',
    wake: raw['wake'] ?? '',
    channel: raw['channel'] ?? '',
    expiresAt: raw['expiresAt'] ? Number(raw['expiresAt']) : null,
    dueAt: due.get(`p:${raw['placeId']}`) ?? null,
  };
}

function toCap(raw: Raw & { held: RawList; overrun: RawList; groups: RawList }): StoredCap {
  const limit = raw['override'] || raw['limit'];
  return {
    name: raw['name']!,
    limit: limit ? Number(limit) : null,
    gateUntil: raw['gateUntil'] ? Number(raw['gateUntil']) : null,
    overruns: Number(raw['overruns'] ?? 0),
    waiting: Number(raw['waiting'] ?? 0),
    held: scores(raw.held),
    overrun: scores(raw.overrun),
    groups: listOf(raw.groups as string[]).map((member) => ({
      group: member.slice(17),
      head: Number(member.slice(0, 16)),
    })),
  };
}

function scores(raw: RawList): Map<string, number> {
  const list = listOf(raw as string[]);
  const map = new Map<string, number>();
  for (let i = 0; i < list.length; i += 2)
    map.set(list[i]!, list[i + 1] === 'inf' ? Infinity : Number(list[i + 1]));
  return map;
}

/** An empty Lua table has no way to say that it is a list. */
function listOf<T>(value: T[]): T[] {
  return Array.isArray(value) ? value : [];
}
