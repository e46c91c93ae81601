import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { QueueState } from '../api/client';
import { queueQuery } from '../api/queries';
import { POLL_MS, useEventStream } from '../live/use-event-stream';
import type { QueueMoment } from '../words/queue-verdict';
import { rememberQueue } from './queue-history';

const EVENTS_PATH = '/api/admin/ai/queue/events';

/** The queue as it is and as it was since the page opened: by events, else asked every 5 s. */
export function useQueue(): {
  readonly queue: UseQueryResult<QueueState>;
  readonly history: readonly QueueMoment[];
  readonly isLive: boolean;
} {
  const queries = useQueryClient();
  const { queryKey } = queueQuery(POLL_MS);
  const { pollMs, state } = useEventStream(EVENTS_PATH, ({ data }) => {
    try {
      const queue = JSON.parse(data) as Partial<QueueState>;
      if (Array.isArray(queue.endpoints)) queries.setQueryData<QueueState>(queryKey, queue as QueueState);
      else void queries.invalidateQueries({ queryKey });
    } catch {
      void queries.invalidateQueries({ queryKey });
    }
  });
  // A live stream tells changes alone: a chart of time wants a point every few seconds all the same.
  const queue = useQuery(queueQuery(Math.min(pollMs, POLL_MS)));
  const { data, dataUpdatedAt } = queue;
  const history = useMemo(() => (data ? rememberQueue(data, dataUpdatedAt) : []), [data, dataUpdatedAt]);
  return { queue, history, isLive: state === 'live' };
}
