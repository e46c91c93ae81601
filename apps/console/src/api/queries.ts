import { QueryClient, queryOptions } from '@tanstack/react-query';
import { POLL_MS } from '../live/use-event-stream';
import { isUnfinished } from '../words/status-words';
import { ApiAway, ApiProblem } from './api-problem';
import { api, dataOf } from './client';

/** The most that one answer may list. */
export const LONGEST_PAGE = 200;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Loopback works without a network; whether the API answers is what counts.
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && !(error instanceof ApiAway) && isPassing(error),
      staleTime: 2_000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always' },
  },
});

function isPassing(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status >= 500 || error.status === 429);
}

/** Admin or member: the API has no route that says it, but only an admin may see the queue. */
export const roleQuery = queryOptions({
  queryKey: ['role'],
  staleTime: Infinity,
  queryFn: async () => {
    try {
      await dataOf(api.GET('/api/admin/ai/queue'));
      return 'admin' as const;
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 403) return 'member' as const;
      throw error;
    }
  },
});

export const campaignsQuery = queryOptions({
  queryKey: ['campaigns'],
  queryFn: () => dataOf(api.GET('/api/campaigns', { params: { query: { limit: LONGEST_PAGE } } })),
});

export function campaignQuery(id: string) {
  return queryOptions({
    queryKey: ['campaigns', id],
    queryFn: () => dataOf(api.GET('/api/campaigns/{id}', { params: { path: { id } } })),
  });
}

/** Page by page; asked again every few seconds while one of them is still at work. */
export function sessionsQuery(campaignId?: string) {
  return {
    queryKey: ['sessions', 'list', campaignId ?? 'all'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      dataOf(
        api.GET('/api/sessions', {
          params: { query: { campaign_id: campaignId, limit: LONGEST_PAGE, cursor: pageParam } },
        }),
      ),
    getNextPageParam: (last: { next_cursor: string | null }) => last.next_cursor ?? undefined,
    refetchInterval: (query: {
      state: {
        data?: {
          pages: ReadonlyArray<{ items: ReadonlyArray<{ status: Parameters<typeof isUnfinished>[0] }> }>;
        };
      };
    }) => {
      const isAtWork = query.state.data?.pages.some(({ items }) =>
        items.some(({ status }) => isUnfinished(status)),
      );
      return isAtWork ? POLL_MS : POLL_MS * 6;
    },
  };
}

export function sessionQuery(id: string, pollMs: number) {
  return queryOptions({
    queryKey: ['sessions', id],
    queryFn: () => dataOf(api.GET('/api/sessions/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data && !isUnfinished(state.data.status) ? false : pollMs),
  });
}

export function transcriptQuery(id: string, run: number) {
  return queryOptions({
    queryKey: ['sessions', id, 'transcript', run],
    staleTime: Infinity,
    queryFn: async () => {
      try {
        const transcript = await dataOf(
          api.GET('/api/sessions/{id}/transcript', { params: { path: { id } } }),
        );
        // Other formats are text, and are downloaded instead.
        return typeof transcript === 'string' ? null : transcript;
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export function queueQuery(pollMs: number) {
  return queryOptions({
    queryKey: ['queue'],
    queryFn: () => dataOf(api.GET('/api/admin/ai/queue')),
    refetchInterval: pollMs,
    staleTime: 0,
  });
}

export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: () => dataOf(api.GET('/api/admin/teams', { params: { query: { limit: LONGEST_PAGE } } })),
});

export function keysQuery(teamId: string) {
  return queryOptions({
    queryKey: ['teams', teamId, 'keys'],
    queryFn: () => dataOf(api.GET('/api/admin/teams/{id}/keys', { params: { path: { id: teamId } } })),
  });
}
