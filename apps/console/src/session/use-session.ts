import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProcessingWait, Session } from '../api/client';
import { sessionQuery } from '../api/queries';
import type { StreamEvent } from '../live/sse-parser';
import { POLL_MS, useEventStream } from '../live/use-event-stream';
import { isUnfinished } from '../words/status-words';

/** A session, kept up to date by its events while there is such a stream, else by asking every 5 s. */
export function useSession(id: string): UseQueryResult<Session> {
  const queries = useQueryClient();
  const { queryKey } = sessionQuery(id, POLL_MS);
  const [isAtWork, setIsAtWork] = useState(true);

  const take = ({ type, data }: StreamEvent): void => {
    const before = queries.getQueryData<Session>(queryKey);
    const news = parse(data);
    if (!before || news === undefined) return void queries.invalidateQueries({ queryKey });
    if (type === 'wait') {
      queries.setQueryData<Session>(queryKey, { ...before, processing_wait: news as ProcessingWait | null });
      return;
    }
    if (type !== 'status' || typeof news !== 'object' || news === null) return;
    const after: Session = { ...before, ...(news as Partial<Session>) };
    queries.setQueryData<Session>(queryKey, after);
    // The recap and the error come with the whole session.
    if (after.status !== before.status || after.run !== before.run)
      void queries.invalidateQueries({ queryKey });
  };

  const { pollMs } = useEventStream(isAtWork ? `/api/sessions/${id}/events` : undefined, take);
  const session = useQuery(sessionQuery(id, pollMs));
  const shouldFollow = session.data ? isUnfinished(session.data.status) : !session.error;
  if (shouldFollow !== isAtWork) setIsAtWork(shouldFollow);
  return session;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
