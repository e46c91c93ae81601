import { delay } from '@app/kernel';
import type { Queue } from 'bull';
import type Redis from 'ioredis';

/** Longest that closing a queue may take; without Redis it would take for ever. */
const CLOSE_MS = 3_000;

/**
 * Two things that Bull does at the edges of a queue's life, made harmless:
 *
 *     naming its connection   it does so when it begins to process and lets nobody catch a failure of that, so a
 *                             stop just then would end the process badly; our connections have their names already
 *     closing                 it waits for commands that only a Redis can answer; after a while they are given up
 */
export function boundQueue(queue: Queue): void {
  queue.setWorkerName = () => Promise.resolve();
  const close = queue.close.bind(queue);
  queue.close = async (doNotWaitJobs) => {
    const closing = close(doNotWaitJobs).catch(() => undefined);
    await Promise.race([closing, delay(CLOSE_MS)]);
    for (const client of (queue as unknown as { clients: Redis[] }).clients) client.disconnect();
  };
}
