import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { SessionSummary } from '../api/client';
import { sessionsQuery } from '../api/queries';
import { Loading, Refusal } from '../parts/states';
import { howLong, whenItWas } from '../words/time-words';
import { STATUS_WORDS } from '../words/status-words';

/** Sessions, the newest first, a page at a time. */
export function SessionList(props: {
  readonly campaignId?: string;
  readonly campaignNames?: ReadonlyMap<string, string>;
  readonly empty: ReactNode;
}): ReactNode {
  const sessions = useInfiniteQuery(sessionsQuery(props.campaignId));
  const items = sessions.data?.pages.flatMap((page) => page.items) ?? [];
  if (sessions.isPending && !sessions.error) return <Loading what="the sessions" />;
  if (sessions.error && items.length === 0) {
    return <Refusal error={sessions.error} again={() => void sessions.refetch()} />;
  }
  if (items.length === 0) return props.empty;
  return (
    <>
      <ul className="session-list">
        {items.map((session) => (
          <li key={session.id}>
            <SessionLink session={session} campaign={props.campaignNames?.get(session.campaign_id)} />
          </li>
        ))}
      </ul>
      {sessions.hasNextPage && (
        <div className="row">
          <button
            type="button"
            className="button"
            disabled={sessions.isFetchingNextPage}
            onClick={() => void sessions.fetchNextPage()}
          >
            Show older sessions
          </button>
        </div>
      )}
    </>
  );
}

function SessionLink(props: {
  readonly session: SessionSummary;
  readonly campaign: string | undefined;
}): ReactNode {
  const { id, title, status, created_at: createdAt, audio } = props.session;
  const facts = [
    props.campaign,
    whenItWas(createdAt),
    audio.duration_seconds === null ? undefined : `${howLong(audio.duration_seconds)} of audio`,
  ];
  return (
    <Link href={`/sessions/${id}`} className="session-link">
      <span className="title">{title || 'Untitled session'}</span>
      <span className="soft small">{facts.filter(Boolean).join(' · ')}</span>
      <span className={`badge ${status}`}>{STATUS_WORDS[status]}</span>
    </Link>
  );
}
