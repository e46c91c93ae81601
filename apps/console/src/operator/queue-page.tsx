import type { ReactNode } from 'react';
import { Page } from '../parts/page';
import { Loading, Refusal } from '../parts/states';
import { endpointKey, judgeQueue, type QueueVerdict } from '../words/queue-verdict';
import { CapsTable } from './caps-table';
import { EndpointCard } from './endpoint-card';
import { LiveLines } from './live-lines';
import { useQueue } from './use-queue';

/** Stuck, or just busy? Which endpoint, what cap, how long? */
export function QueuePage(): ReactNode {
  const { queue, history, isLive } = useQueue();
  return (
    <Page
      title="Queue"
      heading={<span className={`badge ${isLive ? 'live' : ''}`}>{isLive ? 'Live' : 'Every 5 seconds'}</span>}
    >
      {queue.isPending && !queue.error && <Loading what="the queue" lines={6} />}
      {queue.error && !queue.data && <Refusal error={queue.error} again={() => void queue.refetch()} />}
      {queue.data && (
        <div className="stack wide">
          <Verdict verdict={judgeQueue(queue.data, history)} />
          <LiveLines endpoints={queue.data.endpoints} history={history} />
          <section className="stack" aria-labelledby="endpoints">
            <h2 id="endpoints">Endpoints</h2>
            <div className="endpoints">
              {queue.data.endpoints.map((endpoint) => (
                <EndpointCard key={endpointKey(endpoint)} endpoint={endpoint} />
              ))}
            </div>
          </section>
          <CapsTable caps={queue.data.caps} />
        </div>
      )}
    </Page>
  );
}

function Verdict({ verdict }: { readonly verdict: QueueVerdict }): ReactNode {
  return (
    <section className={`card verdict ${verdict.tone}`} aria-label="Stuck or busy?">
      <p className="soft small">Stuck or busy?</p>
      <p className="headline" role="status">
        {verdict.headline}
      </p>
      {verdict.details.map((detail) => (
        <p key={detail}>{detail}</p>
      ))}
    </section>
  );
}
