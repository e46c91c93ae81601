import { resolveOptions, SlotStore, type CapRequest } from '@app/provider-slots';
import { toStored } from '../libs/provider-slots/src/slot-records';
import { connectRedis } from '@app/redis';
import type { BenchWorld } from './bench-world';
import { median } from './statistics';

const ROUNDS = 5;
const TURNS = 100;
const AT_ONCE = 500;

const FULL: readonly CapRequest[] = [
  { name: 'team:flood', limit: 1 },
  { name: 'endpoint', limit: 1_000 },
];
const OTHER: readonly CapRequest[] = [
  { name: 'team:other', limit: 5 },
  { name: 'endpoint', limit: 1_000 },
];

/** Medians, in microseconds of the whole round trips. */
export interface ParkedCost {
  readonly parked: number;
  /** Another team's acquire and release, with room. */
  readonly otherTeam: number;
  /** A try that is refused by the crowded cap. */
  readonly busyTry: number;
  readonly parkAndLeave: number;
  /** A release into the crowd, the claim of who is next, and one more who parks; null without a crowd. */
  readonly handOver: number | null;
  /** The longest script since the level was reached, in ms; null when none was over 1 ms. */
  readonly slowestScriptMs: number | null;
}

/** What one team's crowd costs itself and others, as it grows. */
export async function measureParked(world: BenchWorld, levels: readonly number[]): Promise<ParkedCost[]> {
  const redis = connectRedis(world.redisUrl, 'blocking', 'bench-parked');
  const store = new SlotStore(
    redis,
    resolveOptions({ url: world.redisUrl, prefix: world.newPrefix(), leaseMs: 3_600_000 }),
  );
  let nonce = 0;
  const ask = (placeId: string, caps: readonly CapRequest[], mode: 'try' | 'park') =>
    store.acquireSlot(toStored({ placeId, caps, group: caps[0]!.name }, `n${(nonce += 1)}`), mode);
  const grant = async (placeId: string, caps: readonly CapRequest[]): Promise<string> => {
    const reply = await ask(placeId, caps, 'park');
    if (reply.outcome !== 'granted') throw new Error(`${placeId} was ${reply.outcome}`);
    return reply.leaseId;
  };

  let holder = { placeId: 'holder', leaseId: await grant('holder', FULL) };
  let parked = 0;
  let [named, next] = [0, 0];
  const costs: ParkedCost[] = [];
  try {
    for (const level of levels) {
      while (parked < level) {
        const count = Math.min(AT_ONCE, level - parked);
        await Promise.all(Array.from({ length: count }, (_, i) => ask(`p${named + i}`, FULL, 'park')));
        named += count;
        parked += count;
      }
      await redis.config('SET', 'slowlog-log-slower-than', '1000');
      await redis.slowlog('RESET');
      const micros: Record<'otherTeam' | 'busyTry' | 'parkAndLeave' | 'handOver', number[]> = {
        otherTeam: [],
        busyTry: [],
        parkAndLeave: [],
        handOver: [],
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        micros.otherTeam.push(
          await timeTurns(async (turn) => {
            const leaseId = await grant(`o${turn}`, OTHER);
            await store.releaseSlot(`o${turn}`, leaseId, 'ok');
          }),
        );
        micros.busyTry.push(await timeTurns((turn) => ask(`t${turn}`, FULL, 'try')));
        micros.parkAndLeave.push(
          await timeTurns(async (turn) => {
            await ask(`l${turn}`, FULL, 'park');
            await store.leavePlace(`l${turn}`);
          }),
        );
        if (parked === 0) continue;
        micros.handOver.push(
          await timeTurns(async () => {
            await store.releaseSlot(holder.placeId, holder.leaseId, 'ok');
            const placeId = `p${next}`;
            next += 1;
            holder = { placeId, leaseId: await grant(placeId, FULL) };
            // The crowd keeps its size.
            await ask(`p${named}`, FULL, 'park');
            named += 1;
          }),
        );
      }
      const slow = (await redis.slowlog('GET', '128')) as [number, number, number, string[]][];
      const scripts = slow
        .filter(([, , , [name]]) => /^(eval|fcall)/i.test(name ?? ''))
        .map(([, , took]) => took);
      costs.push({
        parked: level,
        otherTeam: median(micros.otherTeam),
        busyTry: median(micros.busyTry),
        parkAndLeave: median(micros.parkAndLeave),
        handOver: parked === 0 ? null : median(micros.handOver),
        slowestScriptMs: scripts.length === 0 ? null : Math.max(...scripts) / 1_000,
      });
    }
    return costs;
  } finally {
    await redis.config('SET', 'slowlog-log-slower-than', '10000');
    redis.disconnect();
  }
}

/** Microseconds per turn. */
async function timeTurns(turn: (index: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < TURNS; index += 1) await turn(index);
  return ((performance.now() - startedAt) * 1_000) / TURNS;
}
