import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api, dataOf, type UsageItem } from '../api/client';
import { PeriodFields } from '../operator/period-fields';
import { UsageTotals } from '../operator/usage-totals';
import { usePeriod } from '../operator/use-period';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';
import { money, whole } from '../words/amounts';
import { howLong, whenItWas } from '../words/time-words';

const SOURCE_WORDS: Readonly<Record<UsageItem['source'], string>> = {
  session: 'Session',
  generation: 'Generation',
  request: 'Question or names',
};

/** The ledger of one's own team, row by row. */
export function TeamUsagePage(): ReactNode {
  const period = usePeriod();
  const usage = useInfiniteQuery({
    queryKey: ['usage', 'rows', period.query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      dataOf(api.GET('/api/usage', { params: { query: { ...period.query, cursor: pageParam } } })),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: period.isValid,
    placeholderData: keepPreviousData,
  });
  const [first] = usage.data?.pages ?? [];
  const rows = usage.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title="Usage" lead="What your team consumed. Days are UTC.">
      <div className="stack wide">
        <div className="filters">
          <PeriodFields period={period} />
        </div>
        {!period.isValid && <p className="notice gold">The first day comes before the last.</p>}
        {usage.error && !usage.data && <Refusal error={usage.error} again={() => void usage.refetch()} />}
        {usage.isPending && !usage.error && <Loading what="usage" />}
        {first && <UsageTotals totals={first.totals} />}
        {first && (
          <section className="card" aria-labelledby="rows">
            <h2 id="rows">Ledger</h2>
            {rows.length === 0 ? (
              <Empty icon="bars" title="Nothing was consumed">
                No run ended and no question was answered in these days.
              </Empty>
            ) : (
              <RowTable rows={rows} />
            )}
            {usage.hasNextPage && (
              <button
                type="button"
                className="button"
                disabled={usage.isFetchingNextPage}
                onClick={() => void usage.fetchNextPage()}
              >
                Show older rows
              </button>
            )}
          </section>
        )}
      </div>
    </Page>
  );
}

function RowTable({ rows }: { readonly rows: readonly UsageItem[] }): ReactNode {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-labelledby="rows">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Ended</th>
            {['Put back', 'Audio', 'Tokens in', 'Tokens out', 'Cost'].map((name) => (
              <th key={name} scope="col" className="right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="nowrap">{whenItWas(row.created_at)}</td>
              <td className="nowrap">
                {row.session_id ? (
                  <Link href={`/sessions/${row.session_id}`}>
                    {SOURCE_WORDS[row.source]}
                    {row.run !== null && `, run ${row.run}`}
                  </Link>
                ) : (
                  SOURCE_WORDS[row.source]
                )}
              </td>
              <td>{row.status}</td>
              <td className="right">{row.retry_count === 0 ? '–' : `${row.retry_count} ×`}</td>
              <td className="right nowrap">{row.audio_seconds === 0 ? '–' : howLong(row.audio_seconds)}</td>
              <td className="right">{whole(row.input_tokens)}</td>
              <td className="right">{whole(row.output_tokens)}</td>
              <td className="right">{money(row.cost_micros)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
