import { once } from 'node:events';
import { ProviderSlots } from '@app/provider-slots';
import { type ConnectionRole, connectRedis } from '@app/redis';
import type { RequestScope } from '@app/request-scope';

export interface OpenSlots {
  readonly slots: ProviderSlots;
  close(): Promise<void>;
}

/** The semaphore of one process, connected to the Redis of this test run. */
export async function openSlots(given: {
  readonly requestScope: RequestScope;
  readonly prefix: string;
}): Promise<OpenSlots> {
  const ready: Promise<unknown>[] = [];
  const connect = (role: ConnectionRole) => {
    const redis = connectRedis(process.env['QB_TEST_REDIS_URL'] ?? '', role, given.prefix);
    ready.push(once(redis, 'ready'));
    return redis;
  };
  const slots = new ProviderSlots(
    { connect, prefix: given.prefix, sweepMs: 50, maxWaitMs: 30_000 },
    given.requestScope,
  );
  slots.onModuleInit();
  // Before that, a first call would count Redis as away.
  await Promise.all(ready);
  return { slots, close: () => slots.onModuleDestroy() };
}
