import { RequestScope } from '@app/request-scope';
import { ProviderSlots, type CapRequest } from '@app/provider-slots';
import { connectRedis } from '@app/redis';
import type { BenchWorld } from './bench-world';
import { quantile } from './statistics';

/** Many short blocks, and of them the quietest tenth: what else runs on the machine only ever adds. */
const BLOCKS = 100;
const PAIRS = 32;
const QUIET = 0.1;
const NO_OP = 'return 1';

const CAPS: Readonly<Record<'one' | 'three', readonly CapRequest[]>> = {
  one: [{ name: 'endpoint', limit: 1_000 }],
  three: [
    { name: 'team', limit: 1_000 },
    { name: 'fleet', limit: 1_000 },
    { name: 'endpoint', limit: null },
  ],
};

export interface UncontendedRun {
  /** Microseconds for one acquire and release, or for two no-op scripts. */
  readonly noOpMicros: number;
  readonly oneCapMicros: number;
  readonly threeCapsMicros: number;
}

/** An acquire and a release with room to spare, beside two scripts that do nothing; all in turns, block by block. */
export async function runUncontended(world: BenchWorld, inFlight: number): Promise<UncontendedRun> {
  const redis = connectRedis(world.redisUrl, 'blocking', 'bench-no-op');
  const slots = new ProviderSlots({ url: world.redisUrl, prefix: world.newPrefix() }, new RequestScope());
  await slots.onModuleInit();
  const sha = (await redis.script('LOAD', NO_OP)) as string;
  const noOps = async (): Promise<void> => {
    await redis.evalsha(sha, 1, 'bench');
    await redis.evalsha(sha, 1, 'bench');
  };
  let count = 0;
  const pairOf = (caps: readonly CapRequest[]) => async (): Promise<void> => {
    const answer = await slots.tryAcquire({ placeId: `p${(count += 1)}`, caps, group: 'team' });
    if (answer.outcome !== 'granted') throw new Error('There was room');
    await answer.lease.release();
  };
  const pairs = [noOps, pairOf(CAPS.one), pairOf(CAPS.three)];
  const micros: number[][] = pairs.map(() => []);
  try {
    for (const pair of pairs) await timePairs(pair, inFlight);
    for (let block = 0; block < BLOCKS; block += 1) {
      for (const [i, pair] of pairs.entries()) micros[i]!.push(await timePairs(pair, inFlight));
    }
    const [noOpMicros, oneCapMicros, threeCapsMicros] = micros.map((blocks) => quantile(blocks, QUIET)) as [
      number,
      number,
      number,
    ];
    return { noOpMicros, oneCapMicros, threeCapsMicros };
  } finally {
    await slots.onModuleDestroy();
    redis.disconnect();
  }
}

/** Microseconds per pair. */
async function timePairs(pair: () => Promise<void>, inFlight: number): Promise<number> {
  const startedAt = performance.now();
  let left = PAIRS;
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await pair();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return ((performance.now() - startedAt) * 1_000) / PAIRS;
}
