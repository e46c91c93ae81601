import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf, download } from '../api/client';
import { teamsQuery } from '../api/queries';
import { Icon } from '../parts/icon';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';
import { money, whole } from '../words/amounts';
import { howLong } from '../words/time-words';
import { PeriodFields } from './period-fields';
import { UsageChart, type UsageDay } from './usage-chart';
import { UsageTotals } from './usage-totals';
import { usePeriod } from './use-period';

/** The ledger of all teams, by day. */
export function OperatorUsagePage(): ReactNode {
  const period = usePeriod();
  const [teamId, setTeamId] = useState('');
  const teams = useQuery(teamsQuery);
  const nameOf = (id: string) => teams.data?.items.find((team) => team.id === id)?.name ?? id.slice(0, 8);
  const query = { ...period.query, team_id: teamId || undefined, group_by: 'day' as const };
  const usage = useQuery({
    queryKey: ['usage', 'days', query],
    queryFn: () => dataOf(api.GET('/api/admin/usage', { params: { query } })),
    enabled: period.isValid,
    placeholderData: keepPreviousData,
  });
  const days = (usage.data?.items ?? []).filter((item): item is UsageDay & typeof item => 'day' in item);
  const saving = useMutation({
    mutationFn: () => {
      const search = new URLSearchParams(
        Object.entries(query).filter(([, value]) => value !== undefined) as string[][],
      );
      return download(`/api/admin/usage?${search}`, `usage-${period.from}-${period.to}.csv`, 'text/csv');
    },
  });
  return (
    <Page title="Usage" lead="What every team consumed, from the ledger that billing reads. Days are UTC.">
      <div className="stack wide">
        <div className="filters">
          <div className="field">
            <label htmlFor="usage-team">Team</label>
            <select
              id="usage-team"
              className="input"
              value={teamId}
              onChange={(event) => setTeamId(event.target.value)}
            >
              <option value="">All teams</option>
              {teams.data?.items.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <PeriodFields period={period} />
          <button
            type="button"
            className="button"
            disabled={saving.isPending || days.length === 0}
            onClick={() => saving.mutate()}
          >
            <Icon name="download" /> CSV
          </button>
        </div>
        {saving.error && <Refusal error={saving.error} />}
        {!period.isValid && <p className="notice gold">The first day comes before the last.</p>}
        {usage.error && !usage.data && <Refusal error={usage.error} again={() => void usage.refetch()} />}
        {usage.isPending && !usage.error && <Loading what="usage" />}
        {usage.data && (
          <>
            <UsageTotals totals={usage.data.totals} />
            {days.length === 0 ? (
              <div className="card">
                <Empty icon="bars" title="Nothing was consumed">
                  No run ended and no question was answered in these days.
                </Empty>
              </div>
            ) : (
              <>
                <UsageChart days={days} nameOf={nameOf} from={period.from} to={period.to} />
                <DayTable days={days} nameOf={nameOf} />
              </>
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function DayTable(props: {
  readonly days: readonly UsageDay[];
  readonly nameOf: (id: string) => string;
}): ReactNode {
  return (
    <section className="card" aria-labelledby="usage-table">
      <h2 id="usage-table">Figures</h2>
      <div className="table-frame" tabIndex={0} role="group" aria-labelledby="usage-table">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Team</th>
              {['Runs and calls', 'Audio', 'Tokens in', 'Tokens out', 'Cost'].map((name) => (
                <th key={name} scope="col" className="right">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {props.days.map((day) => (
              <tr key={`${day.day} ${day.team_id}`}>
                <td className="nowrap number">{day.day}</td>
                <td>{props.nameOf(day.team_id)}</td>
                <td className="right">{whole(day.rows)}</td>
                <td className="right nowrap">{howLong(day.audio_seconds)}</td>
                <td className="right">{whole(day.input_tokens)}</td>
                <td className="right">{whole(day.output_tokens)}</td>
                <td className="right">{money(day.cost_micros)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
