import 'reflect-metadata';
import { Agent, get } from 'node:http';
import { RequestScope } from '@app/request-scope';
import { ProviderSlots, type Lease, type SlotRequest } from '@app/provider-slots';
import { connectRedis } from '@app/redis';

/** What one of the racing processes is told, as JSON in its only argument. */
export interface RaceOrder {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly providerPort: number;
  /** Waits in place, or parks and claims when woken. */
  readonly verb: 'acquire' | 'park';
  readonly requests: readonly Pick<SlotRequest, 'placeId' | 'group' | 'caps'>[];
}

/** Runs its requests all at once, each with one call to the counting provider, and ends. */
async function main(order: RaceOrder): Promise<void> {
  const wakes = new Map<string, () => void>();
  const slots = new ProviderSlots(
    {
      // A machine that is busy with other tests must not pass for a Redis that is away.
      connect: () => connectRedis(order.redisUrl, 'blocking', 'racing'),
      prefix: order.prefix,
      ...(order.verb === 'park'
        ? {
            onWake: (placeId: string) => {
              wakes.get(placeId)?.();
              return Promise.resolve(wakes.has(placeId) ? 'woken' : 'gone');
            },
          }
        : {}),
    },
    new RequestScope(),
  );
  await slots.onModuleInit();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  const call = ({ placeId, ticket, leaseId }: Lease, group: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const query = new URLSearchParams({ placeId, group, ticket, leaseId });
      get({ port: order.providerPort, path: `/?${query.toString()}`, agent }, (answer) => {
        answer.resume().on('end', resolve);
      }).on('error', reject);
    });

  const parkAndClaim = async (request: SlotRequest): Promise<Lease> => {
    for (;;) {
      const woken = new Promise<void>((resolve) => wakes.set(request.placeId, resolve));
      const answer = await slots.acquireOrPark({ ...request, wake: request.placeId });
      if (answer.outcome === 'granted') return answer.lease;
      await woken;
    }
  };

  await Promise.all(
    order.requests.map(async (request) => {
      const lease = await (order.verb === 'park' ? parkAndClaim(request) : slots.acquire(request));
      await call(lease, request.group);
      await lease.release();
    }),
  );
  await slots.onModuleDestroy();
  agent.destroy();
}

main(JSON.parse(process.argv[2] ?? '{}') as RaceOrder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
