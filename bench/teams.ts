import { resolveOptions, SlotStore, type CapRequest } from '@app/provider-slots';
import { connectRedis } from '@app/redis';
import { toStored } from '../libs/provider-slots/src/slot-records';
import type { BenchWorld } from './bench-world';
import { median } from './statistics';

const WAITING = 2_000;
const ROUNDS = 5;
const TURNS = 100;
const AT_ONCE = 500;

export interface TeamsCost {
  readonly teams: number;
  /** A release, the claim of who is next, and one more who parks; median, in microseconds. */
  readonly admissionMicros: number;
}

/** What an admission costs with the same crowd spread over more and more teams, under team, fleet and endpoint cap. */
export async function measureTeams(world: BenchWorld, levels: readonly number[]): Promise<TeamsCost[]> {
  const costs: TeamsCost[] = [];
  for (const teams of levels) costs.push({ teams, admissionMicros: await measure(world, teams) });
  return costs;
}

async function measure(world: BenchWorld, teams: number): Promise<number> {
  const redis = connectRedis(world.redisUrl, 'blocking', 'bench-teams');
  const store = new SlotStore(
    redis,
    resolveOptions({ url: world.redisUrl, prefix: world.newPrefix(), leaseMs: 3_600_000 }),
  );
  let count = 0;
  const capsOf = (team: string): readonly CapRequest[] => [
    { name: `team:${team}`, limit: 4 },
    { name: 'fleet', limit: 1 },
    { name: 'endpoint', limit: 16 },
  ];
  const ask = (placeId: string) => {
    const group = placeId.split('-')[0]!;
    const request = { placeId, caps: capsOf(group), group, wake: 'w' };
    return store.acquireSlot(toStored(request, `n${(count += 1)}`), 'park');
  };
  let named = 0;
  const park = (): Promise<unknown> => ask(`t${named % teams}-${(named += 1)}`);
  try {
    const first = await ask('t0-holder');
    if (first.outcome !== 'granted') throw new Error('There was room');
    let holder = { placeId: 't0-holder', leaseId: first.leaseId };
    while (named < WAITING) await Promise.all(Array.from({ length: AT_ONCE }, park));
    const admit = async (): Promise<void> => {
      await store.releaseSlot(holder.placeId, holder.leaseId, 'ok');
      const wake = JSON.parse((await redis.lpop(store.wakesKey)) ?? '{}') as { placeId: string };
      const reply = await ask(wake.placeId);
      if (reply.outcome !== 'granted') throw new Error('Who was offered the slot did not get it');
      holder = { placeId: wake.placeId, leaseId: reply.leaseId };
      await park();
    };
    const micros: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now();
      for (let turn = 0; turn < TURNS; turn += 1) await admit();
      micros.push(((performance.now() - startedAt) * 1_000) / TURNS);
    }
    return median(micros);
  } finally {
    redis.disconnect();
  }
}
