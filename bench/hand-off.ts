import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestScope } from '@app/request-scope';
import { ProviderSlots, type CapRequest } from '@app/provider-slots';
import type { BenchWorld } from './bench-world';
import { startProcess } from './contended';
import type { HandOffOrder } from './hand-off-process';

const CAP: readonly CapRequest[] = [{ name: 'endpoint', limit: 1 }];
const WARM_UP = 20;

/**
 * Milliseconds from the release in this process to the start of the next holder in another, once per round. Both
 * read the machine's one monotonic clock.
 */
export async function measureHandOff(
  world: BenchWorld,
  waiter: HandOffOrder['waiter'],
  rounds: number,
): Promise<number[]> {
  const order: HandOffOrder = { redisUrl: world.redisUrl, prefix: world.newPrefix(), waiter, caps: CAP };
  const child = startProcess('hand-off-process.ts', order);
  const slots = new ProviderSlots({ url: world.redisUrl, prefix: order.prefix }, new RequestScope());
  await slots.onModuleInit();
  const took: number[] = [];
  try {
    await once(child, 'message');
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      const lease = await slots.acquire({ placeId: `a${round}`, group: 'a', caps: CAP });
      const placeId = `b${round}`;
      child.send(placeId);
      while ((await slots.outlook(placeId)) === null) await sleep(1);
      // The parked job has to reach its delayed set too.
      await sleep(waiter === 'job' ? 20 : 2);
      const told = once(child, 'message') as Promise<[string]>;
      const releasedAt = process.hrtime.bigint();
      await lease.release();
      const [startedAt] = await told;
      if (round >= WARM_UP) took.push(Number(BigInt(startedAt) - releasedAt) / 1e6);
    }
    return took;
  } finally {
    child.send('end');
    await once(child, 'exit');
    await slots.onModuleDestroy();
  }
}
