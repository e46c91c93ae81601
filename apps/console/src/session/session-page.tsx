import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiProblem } from '../api/api-problem';
import type { Session } from '../api/client';
import { campaignQuery, transcriptQuery } from '../api/queries';
import { NotFoundPage } from '../pages/not-found-page';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';
import { fileSize } from '../words/amounts';
import { STATUS_WORDS, wordFailure } from '../words/status-words';
import { howLong } from '../words/time-words';
import { AskPanel } from './ask-panel';
import { NamesPanel } from './names-panel';
import { Phases } from './phases';
import { ProcessingQueueNote } from './queue-note';
import { Recap } from './recap';
import { RunUsage } from './run-usage';
import { SessionActions } from './session-actions';
import { TranscriptView } from './transcript-view';
import { useSession } from './use-session';

export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const session = useSession(id);
  if (session.error instanceof ApiProblem && session.error.status === 404)
    return <NotFoundPage what="session" />;
  if (session.data) return <LoadedSession session={session.data} />;
  return (
    <Page title="Session">
      {session.error ? (
        <Refusal error={session.error} again={() => void session.refetch()} />
      ) : (
        <Loading what="the session" />
      )}
    </Page>
  );
}

function LoadedSession({ session }: { readonly session: Session }): ReactNode {
  const { id, status, error } = session;
  const title = session.title || 'Untitled session';
  const campaign = useQuery(campaignQuery(session.campaign_id));
  const mayHaveTranscript = status !== 'queued' && status !== 'transcribing';
  const transcript = useQuery({ ...transcriptQuery(id, session.run), enabled: mayHaveTranscript });
  return (
    <Page
      title={title}
      crumbs={
        <>
          <li>
            <Link href="/">Campaigns</Link>
          </li>
          <li>
            <Link href={`/campaigns/${session.campaign_id}`}>{campaign.data?.name ?? 'Campaign'}</Link>
          </li>
          <li aria-current="page">{title}</li>
        </>
      }
      heading={<span className={`badge ${status}`}>{STATUS_WORDS[status]}</span>}
      lead={<SessionActions session={session} title={title} />}
    >
      <div className="columns session-columns">
        <div className="stack wide">
          <ProcessingQueueNote wait={session.processing_wait} />
          {status === 'failed' && error && (
            <div className="notice bad" role="alert">
              <strong>{wordFailure(error.code)}</strong>
              <span>{error.message}</span>
              <a className="small" href={`/docs/errors/${error.code}`} target="_blank" rel="noreferrer">
                More about {error.code}
              </a>
            </div>
          )}
          {status === 'cancelled' && (
            <p className="notice">This session was cancelled. Run it again whenever you like.</p>
          )}
          {session.recap && <Recap text={session.recap} />}
          {transcript.error && <Refusal error={transcript.error} again={() => void transcript.refetch()} />}
          {transcript.data && <TranscriptView sessionId={id} title={title} transcript={transcript.data} />}
          {!transcript.data && !transcript.error && (
            <div className="card">
              {mayHaveTranscript && transcript.isPending ? (
                <Loading what="the transcript" lines={6} />
              ) : (
                <Empty icon="scroll" title="No transcript yet">
                  {status === 'failed' || status === 'cancelled'
                    ? 'It ended before the recording was transcribed.'
                    : 'You can leave this page: it goes on without you, and nothing is lost.'}
                </Empty>
              )}
            </div>
          )}
        </div>
        <div className="stack wide">
          {status !== 'completed' && <Progress session={session} hasTranscript={Boolean(transcript.data)} />}
          {transcript.data && (
            <>
              <AskPanel sessionId={id} />
              <NamesPanel of="session" id={id} />
            </>
          )}
          <section className="card" aria-labelledby="recording">
            <h2 id="recording">Recording</h2>
            <dl className="facts">
              <dt>Length</dt>
              <dd>
                {session.audio.duration_seconds === null
                  ? 'unknown'
                  : howLong(session.audio.duration_seconds)}
              </dd>
              <dt>Size</dt>
              <dd>{fileSize(session.audio.bytes)}</dd>
              <dt>Format</dt>
              <dd>{session.audio.content_type}</dd>
              <dt>Language</dt>
              <dd>{session.language ?? transcript.data?.language ?? 'detected'}</dd>
              <dt>Run</dt>
              <dd>{session.run}</dd>
            </dl>
          </section>
          {status === 'completed' && <Progress session={session} hasTranscript />}
          <RunUsage session={session} />
        </div>
      </div>
    </Page>
  );
}

/** First in the column while it matters, last once the recap is there. */
function Progress(props: { readonly session: Session; readonly hasTranscript: boolean }): ReactNode {
  return (
    <section className="card" aria-labelledby="progress">
      <h2 id="progress">Progress</h2>
      <Phases session={props.session} hasTranscript={props.hasTranscript} />
    </section>
  );
}
