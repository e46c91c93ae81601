import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schemas, type Session } from '../api/client';
import { LONGEST_PAGE } from '../api/queries';
import { Loading, Refusal } from '../parts/states';
import { money, whole } from '../words/amounts';
import { howLong } from '../words/time-words';

/** What the session consumed: its runs, and the questions asked about it. */
export function RunUsage({ session }: { readonly session: Session }): ReactNode {
  const usage = useQuery({
    queryKey: ['usage', 'session', session.id, session.run, session.status],
    queryFn: () => readLedger(session),
    staleTime: 30_000,
  });
  return (
    <section className="card" aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      {usage.isPending && !usage.error && <Loading what="usage" lines={3} />}
      {usage.error && <Refusal error={usage.error} again={() => void usage.refetch()} />}
      {usage.data?.items.length === 0 && (
        <p className="soft">Nothing is booked yet. A run is booked once, when it ends.</p>
      )}
      <div className="stack wide">
        {usage.data?.items.map((row) => (
          <dl key={row.id} className="facts">
            <dt>{row.run === null ? 'Question or names' : `Run ${row.run}`}</dt>
            <dd>{row.status}</dd>
            {row.run !== null && (
              <>
                <dt>Put back or paused</dt>
                <dd>{row.retry_count === 0 ? 'never' : `${row.retry_count} ×`}</dd>
                <dt>Audio</dt>
                <dd>{howLong(row.audio_seconds)}</dd>
                <dt>Transcribed in</dt>
                <dd>{row.asr_ms === 0 ? '–' : howLong(row.asr_ms / 1_000)}</dd>
              </>
            )}
            <dt>Tokens in / out</dt>
            <dd>
              {whole(row.input_tokens)} / {whole(row.output_tokens)}
              {row.estimated && <span className="soft"> (estimated)</span>}
            </dd>
            {row.model && (
              <>
                <dt>Model</dt>
                <dd>{row.model}</dd>
              </>
            )}
            <dt>Cost</dt>
            <dd>{money(row.cost_micros)}</dd>
          </dl>
        ))}
      </div>
      {usage.data?.next_cursor && (
        <p className="soft">
          The oldest of {whole(usage.data.totals.rows)} entries are on the Usage page only.
        </p>
      )}
    </section>
  );
}

async function readLedger(session: Session): Promise<Schemas['UsagePageDto']> {
  const query = { session_id: session.id, limit: LONGEST_PAGE };
  return dataOf(api.GET('/api/usage', { params: { query } }));
}
