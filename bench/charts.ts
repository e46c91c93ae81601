import * as echarts from 'echarts';
import type { PredictedWait } from './estimates';
import type { BenchResults } from './results';
import { rounded } from './statistics';

const INK = '#3d4451';
const COLOURS = ['#2f6f8f', '#d0893b', '#7a9a58', '#a65a6b', '#8a8f98'];
const WIDTH = 760;
const HEIGHT = 360;

/** Charts by file name, as SVG. */
export function drawCharts(results: BenchResults): ReadonlyMap<string, string> {
  const charts = new Map<string, string>();
  const { contended, admission, uncontended, parked, handOff, estimates } = results;
  if (contended) {
    const names = Object.keys(contended[0]?.byContender ?? {}).filter((name) => name !== 'ideal');
    charts.set(
      'contended.svg',
      drawBars(
        'Time for 400 calls of 50 ms under a cap of 4, ideal = 1',
        names,
        contended.map(({ processes, byContender }) => ({
          name: processes === 1 ? 'from 1 process' : `from ${processes} processes`,
          values: names.map((name) => {
            const runs = byContender as Readonly<Record<string, { makespanMs: number }>>;
            return runs[name]!.makespanMs / byContender.ideal.makespanMs;
          }),
        })),
      ),
    );
  }
  if (admission) {
    const labels = admission.map(
      ({ contender, caps, requests }) =>
        `${contender}\n${caps === 1 ? '1 cap' : `${caps} caps`}, ${requests} calls`,
    );
    charts.set(
      'commands.svg',
      drawBars('Redis commands per admission under contention', labels, [
        { name: 'commands', values: admission.map(({ commands }) => commands) },
      ]),
    );
  }
  if (uncontended) {
    const labels = uncontended.map(({ inFlight }) =>
      inFlight === 1 ? 'one in flight' : `${inFlight} in flight`,
    );
    charts.set(
      'uncontended.svg',
      drawBars('Acquire and release with room to spare, µs', labels, [
        { name: 'two no-op scripts', values: uncontended.map(({ noOpMicros }) => noOpMicros) },
        { name: 'one cap', values: uncontended.map(({ oneCapMicros }) => oneCapMicros) },
        { name: 'three caps', values: uncontended.map(({ threeCapsMicros }) => threeCapsMicros) },
      ]),
    );
  }
  if (parked) {
    const labels = parked.map(({ parked: count }) => `${count.toLocaleString('en')} parked`);
    charts.set(
      'parked.svg',
      drawBars('What a crowd of one team costs, µs', labels, [
        { name: 'another team: acquire + release', values: parked.map(({ otherTeam }) => otherTeam) },
        { name: 'a try that is refused', values: parked.map(({ busyTry }) => busyTry) },
        { name: 'park + leave', values: parked.map(({ parkAndLeave }) => parkAndLeave) },
      ]),
    );
  }
  if (handOff) {
    charts.set(
      'hand-off.svg',
      drawBars(
        'From the release in one process to the start in another, ms',
        ['waiter in place', 'parked Bull job'],
        [
          { name: 'p50', values: [handOff.inPlace.p50Ms, handOff.job.p50Ms] },
          { name: 'p99', values: [handOff.inPlace.p99Ms, handOff.job.p99Ms] },
        ],
      ),
    );
  }
  if (estimates) charts.set('estimates.svg', drawEstimates(estimates.waits));
  return charts;
}

function drawEstimates(waits: readonly PredictedWait[]): string {
  const seconds = (ms: number): number => rounded(ms / 1_000);
  const most = Math.ceil(
    Math.max(...waits.flatMap(({ predictedMs, realMs }) => [predictedMs, realMs])) / 1_000,
  );
  const axis = {
    type: 'value' as const,
    min: 0,
    max: most,
    nameLocation: 'middle' as const,
    nameTextStyle: { color: INK },
    splitLine: { lineStyle: { color: '#e6e8ec' } },
    axisLabel: { color: INK },
  };
  return draw({
    ...frame('The first wait told against the real one, s', false),
    grid: { left: 48, right: 24, top: 56, bottom: 40, containLabel: true },
    xAxis: { ...axis, name: 'told', nameGap: 28 },
    yAxis: { ...axis, name: 'real', nameGap: 32 },
    series: [
      {
        type: 'scatter',
        symbolSize: 9,
        data: waits.map(({ predictedMs, realMs }) => [seconds(predictedMs), seconds(realMs)]),
      },
      {
        type: 'line',
        symbol: 'none',
        lineStyle: { color: COLOURS[4], type: 'dashed' },
        data: [
          [0, 0],
          [most, most],
        ],
      },
    ],
  });
}

function drawBars(
  title: string,
  labels: readonly string[],
  series: readonly { name: string; values: readonly number[] }[],
): string {
  return draw({
    ...frame(title, series.length > 1),
    grid: { left: 24, right: 24, top: series.length > 1 ? 80 : 56, bottom: 24, containLabel: true },
    xAxis: {
      type: 'category',
      data: [...labels],
      axisTick: { show: false },
      axisLabel: { interval: 0, color: INK },
    },
    yAxis: { type: 'value', splitLine: { lineStyle: { color: '#e6e8ec' } }, axisLabel: { color: INK } },
    series: series.map(({ name, values }) => ({
      name,
      type: 'bar',
      barMaxWidth: 48,
      data: values.map(rounded),
      label: { show: true, position: 'top', fontSize: 11, color: INK },
    })),
  });
}

function frame(title: string, hasLegend: boolean): echarts.EChartsOption {
  return {
    animation: false,
    backgroundColor: '#ffffff',
    color: COLOURS,
    textStyle: { fontFamily: 'sans-serif', color: INK },
    title: { text: title, left: 16, top: 12, textStyle: { fontSize: 15, fontWeight: 600, color: INK } },
    legend: { top: 40, left: 16, show: hasLegend },
  };
}

function draw(option: echarts.EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
