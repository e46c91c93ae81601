import { type ReactNode, useMemo, useState } from 'react';
import uPlot from 'uplot';
import { whole } from '../words/amounts';
import { axesOf, Chart, colour } from './chart';

/** Sums of one day of one team. */
export interface UsageDay {
  readonly day: string;
  readonly team_id: string;
  readonly rows: number;
  readonly audio_seconds: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micros: number;
}

const MEASURES = {
  audio: { name: 'Minutes of audio', of: (day: UsageDay) => day.audio_seconds / 60 },
  tokens: { name: 'Tokens', of: (day: UsageDay) => day.input_tokens + day.output_tokens },
  rows: { name: 'Runs and calls', of: (day: UsageDay) => day.rows },
  cost: { name: 'Cost', of: (day: UsageDay) => day.cost_micros / 1_000_000 },
} as const;
type Measure = keyof typeof MEASURES;

const COLOURS = ['--speaker-1', '--speaker-2', '--speaker-3', '--speaker-4', '--speaker-5'];
const REST_COLOUR = '--line-strong';
const DAY_SECONDS = 86_400;

/** Bars per day (UTC), each team's part on top of the others'; the smaller teams together are "others". */
export function UsageChart(props: {
  readonly days: readonly UsageDay[];
  readonly nameOf: (teamId: string) => string;
  readonly from: string;
  readonly to: string;
}): ReactNode {
  const [measure, setMeasure] = useState<Measure>('audio');
  const { days, from, to } = props;
  const { teams, data, top } = useMemo(
    () => stack(days, MEASURES[measure].of, from, to),
    [days, measure, from, to],
  );
  const total = days.reduce((sum, day) => sum + MEASURES[measure].of(day), 0);
  return (
    <section className="card" aria-labelledby="usage-days">
      <div className="card-head">
        <h2 id="usage-days">By day</h2>
        <div className="row">
          <label className="small soft" htmlFor="measure">
            Show
          </label>
          <select
            id="measure"
            className="input"
            style={{ width: 'auto' }}
            value={measure}
            onChange={(event) => setMeasure(event.target.value as Measure)}
          >
            {Object.entries(MEASURES).map(([key, { name }]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      <Chart
        label={`${MEASURES[measure].name} per day from ${from} to ${to}: ${whole(total)} in all. The figures are in the table below.`}
        height={240}
        data={data}
        shape={`${teams.join(' ')} ${top}`}
        options={() => ({
          legend: { show: false },
          cursor: { show: false },
          scales: {
            x: {
              time: true,
              range: (_, first, last) => [first - DAY_SECONDS * 0.7, last + DAY_SECONDS * 0.7],
            },
            y: { range: [0, top] },
          },
          tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
          axes: axesOf({ size: 58 }).map((axis, index) =>
            index === 0
              ? {
                  ...axis,
                  space: 70,
                  values: (_, ticks) => ticks.map(dayLabel),
                  incrs: [1, 2, 3, 7, 14, 30].map((n) => n * DAY_SECONDS),
                }
              : axis,
          ),
          series: [
            {},
            ...teams.map((team, index): uPlot.Series => {
              const fill = colour(
                team === '' ? REST_COLOUR : (COLOURS[index % COLOURS.length] ?? '--accent'),
              );
              return {
                fill,
                stroke: fill,
                width: 0,
                points: { show: false },
                paths: uPlot.paths.bars?.({ size: [0.62, 46] }),
              };
            }),
          ],
        })}
      />
      <ul className="legend">
        {teams.map((team, index) => (
          <li key={team}>
            <svg viewBox="0 0 26 10" aria-hidden="true">
              <rect
                width="26"
                height="10"
                rx="3"
                fill={`var(${team === '' ? REST_COLOUR : COLOURS[index % COLOURS.length]})`}
              />
            </svg>
            {team === '' ? 'All others' : props.nameOf(team)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function dayLabel(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

/** Columns for bars that stand on each other: the first series is the tallest, drawn first. */
function stack(
  days: readonly UsageDay[],
  of: (day: UsageDay) => number,
  from: string,
  to: string,
): { teams: string[]; data: uPlot.AlignedData; top: number } {
  const totals = new Map<string, number>();
  for (const day of days) totals.set(day.team_id, (totals.get(day.team_id) ?? 0) + of(day));
  const ranked = [...totals].sort(([, a], [, b]) => b - a).map(([team]) => team);
  const shown = ranked.slice(0, COLOURS.length);
  const teams = ranked.length > shown.length ? [...shown, ''] : shown;
  const xs: number[] = [];
  for (
    let at = Date.parse(`${from}T00:00:00Z`);
    at <= Date.parse(`${to}T00:00:00Z`);
    at += DAY_SECONDS * 1_000
  ) {
    xs.push(at / 1_000);
  }
  const amounts = new Map<string, number>();
  for (const day of days) {
    const key = `${shown.includes(day.team_id) ? day.team_id : ''} ${day.day}`;
    amounts.set(key, (amounts.get(key) ?? 0) + of(day));
  }
  const labels = xs.map((x) => new Date(x * 1_000).toISOString().slice(0, 10));
  const sumUpTo = (last: number, label: string) =>
    teams.slice(0, last + 1).reduce((sum, team) => sum + (amounts.get(`${team} ${label}`) ?? 0), 0);
  const columns = teams.map((_, index) => labels.map((label) => sumUpTo(teams.length - 1 - index, label)));
  const highest = Math.max(0, ...(columns[0] ?? [0]));
  return { teams: [...teams].reverse(), data: [xs, ...columns], top: highest > 0 ? highest * 1.12 : 1 };
}
