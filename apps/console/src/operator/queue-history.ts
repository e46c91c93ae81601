import type { QueueState } from '../api/client';
import { endpointKey, type QueueMoment } from '../words/queue-verdict';

const LONGEST_MS = 3_600_000;
/** The server sends at most 4 changes a second; finer than this no chart can show. */
const FINEST_MS = 1_000;

let moments: readonly QueueMoment[] = [];

/** What the queue looked like since the page opened, an hour at most; kept while one looks at other pages. */
export function rememberQueue(queue: QueueState, atMs = Date.now()): readonly QueueMoment[] {
  if (queue.degraded) return moments;
  const endpoints = Object.fromEntries(
    queue.endpoints.map((endpoint) => [
      endpointKey(endpoint),
      { inUse: endpoint.in_use ?? 0, waiting: endpoint.waiting ?? 0 },
    ]),
  );
  const last = moments.at(-1);
  const before = last && atMs - last.atMs < FINEST_MS ? moments.slice(0, -1) : moments;
  moments = [...before.filter((moment) => moment.atMs > atMs - LONGEST_MS), { atMs, endpoints }];
  return moments;
}

export function forgetQueue(): void {
  moments = [];
}
