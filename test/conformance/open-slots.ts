import { ProviderSlots } from '@app/provider-slots';
import type { RequestScope } from '@app/request-scope';
import { eventually } from '../support/eventually';

export interface OpenSlots {
  readonly slots: ProviderSlots;
  close(): Promise<void>;
}

/** The semaphore of one process, connected to the Redis of this test run. */
export async function openSlots(given: {
  readonly requestScope: RequestScope;
  readonly prefix: string;
}): Promise<OpenSlots> {
  const slots = new ProviderSlots(
    { url: process.env['QB_TEST_REDIS_URL'], prefix: given.prefix, sweepMs: 50, maxWaitMs: 30_000 },
    given.requestScope,
  );
  await slots.onModuleInit();
  // On a slow machine the first sweep comes before the connection, and then Redis counts as away for a moment.
  await eventually('the slots are shared', async () => !(await slots.snapshot()).degraded);
  return { slots, close: () => slots.onModuleDestroy() };
}
