import { type ReactNode, useMemo } from 'react';
import type uPlot from 'uplot';
import type { EndpointState } from '../api/client';
import { endpointKey, KIND_WORDS, type QueueMoment } from '../words/queue-verdict';
import { axesOf, Chart, colour } from './chart';

const COLOURS = ['--speaker-1', '--speaker-2', '--speaker-3', '--speaker-4', '--speaker-5', '--speaker-6'];
const LEAST_SPAN_SECONDS = 60;

/** In use (whole lines) and waiting (dashed) of every endpoint, since the page opened. */
export function LiveLines(props: {
  readonly endpoints: readonly EndpointState[];
  readonly history: readonly QueueMoment[];
}): ReactNode {
  const { endpoints, history } = props;
  const keys = endpoints.map(endpointKey);
  const shape = keys.join(' ');
  const data = useMemo(
    (): uPlot.AlignedData => [
      history.map(({ atMs }) => atMs / 1_000),
      ...shape
        .split(' ')
        .flatMap((key) => [
          history.map((moment) => moment.endpoints[key]?.inUse ?? null),
          history.map((moment) => moment.endpoints[key]?.waiting ?? null),
        ]),
    ],
    [history, shape],
  );
  const latest = endpoints.map(
    ({ kind, in_use: inUse, waiting }) =>
      `${KIND_WORDS[kind]}: ${inUse ?? 'unknown'} in use, ${waiting ?? 'unknown'} waiting`,
  );
  return (
    <section className="card" aria-labelledby="lines">
      <div className="card-head">
        <h2 id="lines">In use and waiting</h2>
        <span className="soft small">since this page opened, an hour at most</span>
      </div>
      <Chart
        label={`Lines over time. Now: ${latest.join('; ')}`}
        height={230}
        data={data}
        shape={shape}
        options={() => ({
          legend: { show: false },
          cursor: { show: false },
          scales: {
            x: { time: true, range: spanOf },
            y: { range: (_, __, top) => [0, Math.max(3, Math.ceil((top ?? 0) * 1.1))] },
          },
          axes: axesOf({ incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000] }).map(
            (axis, index) => (index === 0 ? { ...axis, space: 90, values: clockLabels } : axis),
          ),
          series: [{}, ...keys.flatMap((_, index) => linesOf(index))],
        })}
      />
      <ul className="legend">
        {endpoints.flatMap((endpoint, index) =>
          (['in use', 'waiting'] as const).map((what) => (
            <li key={`${endpointKey(endpoint)}-${what}`}>
              <svg viewBox="0 0 26 10" aria-hidden="true">
                <line
                  x1="1"
                  x2="25"
                  y1="5"
                  y2="5"
                  stroke={`var(${COLOURS[index % COLOURS.length]})`}
                  strokeWidth="2.5"
                  strokeDasharray={what === 'waiting' ? '5 4' : undefined}
                />
              </svg>
              {KIND_WORDS[endpoint.kind]} {what}
              {endpoints.filter(({ kind }) => kind === endpoint.kind).length > 1 && ` (${endpoint.host})`}
            </li>
          )),
        )}
      </ul>
    </section>
  );
}

function linesOf(index: number): uPlot.Series[] {
  const stroke = colour(COLOURS[index % COLOURS.length] ?? '--accent');
  const shared: uPlot.Series = { stroke, width: 2, spanGaps: false, points: { show: false } };
  return [shared, { ...shared, dash: [6, 5] }];
}

/** A minute at least, so that the first points do not fill the whole width. */
function spanOf({ data: [seconds] }: uPlot): uPlot.Range.MinMax {
  const last = seconds.at(-1) ?? Date.now() / 1_000;
  return [Math.min(seconds[0] ?? last, last - LEAST_SPAN_SECONDS), last];
}

function clockLabels(_: uPlot, ticks: number[]): string[] {
  const isClose = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) < 5 * 60;
  const form: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    second: isClose ? '2-digit' : undefined,
  };
  return ticks.map((seconds) => new Date(seconds * 1_000).toLocaleTimeString(undefined, form));
}
