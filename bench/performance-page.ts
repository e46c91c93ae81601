import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawCharts } from './charts';
import { REQUEUE_SCALE } from './contended';
import type { BenchResults } from './results';
import { rounded } from './statistics';

const DOCS = join(__dirname, '../docs');

interface Target {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  readonly bound: number;
  readonly atLeast?: boolean;
}

/** Writes docs/performance.md and its charts. */
export function writePerformancePage(results: BenchResults): void {
  const charts = drawCharts(results);
  mkdirSync(join(DOCS, 'performance'), { recursive: true });
  for (const [file, svg] of charts) writeFileSync(join(DOCS, 'performance', file), svg);
  const sections = [introduce(results), ...describe(results, charts), describeMachine(results)];
  writeFileSync(join(DOCS, 'performance.md'), `${sections.join('\n\n')}\n`);
}

function introduce(results: BenchResults): string {
  const rows = targetsOf(results).map(({ what, measured, unit, bound, atLeast }) => {
    const isMet = atLeast ? measured >= bound : measured <= bound;
    return `| ${what} | ${atLeast ? '≥' : '≤'} ${bound}${unit} | ${rounded(measured)}${unit} | ${isMet ? 'yes' : '**no**'} |`;
  });
  return `# Performance

Written by \`npm run bench\` from \`bench/results/latest.json\`; do not edit. Everything that is compared was measured in
one run on one machine, in turns. Figures are medians of ${results.rounds} rounds; commands per admission of 3; hand-offs are the
quantiles of one series. Ratios travel to other machines, milliseconds do not. Other programs ran beside it, see the
load average below: a difference of a few hundredths between two of the contended runs says nothing.

| what | target | measured | met |
| --- | --- | --- | --- |
${rows.join('\n')}`;
}

function targetsOf(results: BenchResults): Target[] {
  const { contended, admission, uncontended, parked, handOff, pipeline, generations, teams, estimates } =
    results;
  const targets: Target[] = [];
  for (const { processes, byContender } of contended ?? []) {
    targets.push({
      what: `time under contention, from ${processes === 1 ? '1 process' : `${processes} processes`}, against the ideal`,
      measured: byContender.questline.makespanMs / byContender.ideal.makespanMs,
      unit: ' x',
      bound: processes === 1 ? 1.05 : 1.07,
    });
  }
  for (const { contender, caps, requests, commands, scripts } of admission ?? []) {
    if (contender !== 'questline') continue;
    const what = `per admission, ${caps === 1 ? 'one cap' : 'three caps'}, ${requests} calls`;
    targets.push({
      what: `Redis commands ${what}`,
      measured: commands,
      unit: '',
      bound: caps === 1 ? 75 : 105,
    });
    targets.push({ what: `scripts sent ${what}`, measured: scripts, unit: '', bound: 4 });
  }
  const alone = uncontended?.find(({ inFlight }) => inFlight === 1);
  if (alone) {
    const share = (micros: number): number => alone.noOpMicros / micros;
    targets.push({
      what: 'two no-op scripts against acquire + release, one cap',
      measured: share(alone.oneCapMicros),
      unit: ' x',
      bound: 0.55,
      atLeast: true,
    });
    targets.push({
      what: 'the same, three stacked caps',
      measured: share(alone.threeCapsMicros),
      unit: ' x',
      bound: 0.45,
      atLeast: true,
    });
  }
  if (handOff) {
    targets.push({
      what: 'hand-off to a waiter in place, p50',
      measured: handOff.inPlace.p50Ms,
      unit: ' ms',
      bound: 3,
    });
    targets.push({
      what: 'hand-off to a waiter in place, p99',
      measured: handOff.inPlace.p99Ms,
      unit: ' ms',
      bound: 10,
    });
    targets.push({
      what: 'hand-off to a parked Bull job, p50',
      measured: handOff.job.p50Ms,
      unit: ' ms',
      bound: 5,
    });
    targets.push({
      what: 'hand-off to a parked Bull job, p99',
      measured: handOff.job.p99Ms,
      unit: ' ms',
      bound: 20,
    });
  }
  const [few, most] = [parked?.find((cost) => cost.parked === 10), parked?.at(-1)];
  const none = parked?.find((cost) => cost.parked === 0);
  if (few && most && none) {
    const crowd = most.parked.toLocaleString('en');
    targets.push({
      what: `a refused try with ${crowd} parked, against 10`,
      measured: most.busyTry / few.busyTry,
      unit: ' x',
      bound: 1.5,
    });
    targets.push({
      what: `park + leave with ${crowd} parked, against 10`,
      measured: most.parkAndLeave / few.parkAndLeave,
      unit: ' x',
      bound: 1.5,
    });
    targets.push({
      what: `another team's call with ${crowd} parked, against none`,
      measured: most.otherTeam / none.otherTeam,
      unit: ' x',
      bound: 1.2,
    });
    targets.push({
      what: `longest script with ${crowd} parked`,
      measured: most.slowestScriptMs ?? 1,
      unit: ' ms',
      bound: 5,
    });
  }
  if (pipeline) {
    targets.push({
      what: '64 sessions through the whole product, against 32 holds and one recap',
      measured: pipeline.makespanMs / pipeline.floorMs,
      unit: ' x',
      bound: 1.05,
    });
  }
  if (generations) {
    targets.push({
      what: 'generations per second through the whole product, against a bare Bull queue',
      measured: generations.perSecond / generations.barePerSecond,
      unit: ' x',
      bound: 0.7,
      atLeast: true,
    });
  }
  if (teams) {
    const costs = teams.map(({ admissionMicros }) => admissionMicros);
    targets.push({
      what: 'cost of an admission, the dearest of 1, 10 and 1,000 teams against the cheapest',
      measured: Math.max(...costs) / Math.min(...costs),
      unit: ' x',
      bound: 1.5,
    });
  }
  if (estimates) {
    targets.push({
      what: 'error of the first wait told, median',
      measured: estimates.medianError,
      unit: '',
      bound: 0.25,
    });
    targets.push({ what: 'the same, p90', measured: estimates.p90Error, unit: '', bound: 0.6 });
  }
  return targets;
}

function describe(results: BenchResults, charts: ReadonlyMap<string, string>): string[] {
  const sections: string[] = [];
  const chart = (file: string, alt: string): string =>
    charts.has(file) ? `![${alt}](performance/${file})` : '';
  if (results.contended) {
    const rows = results.contended.flatMap(({ processes, byContender }) =>
      Object.entries(byContender).map(
        ([name, run]) =>
          `| ${name} | ${name === 'ideal' ? 1 : processes} | ${rounded(run.makespanMs / byContender.ideal.makespanMs)} x | ${Math.round(run.makespanMs)} ms | ${rounded(run.commandsPerAdmission)} |`,
      ),
    );
    sections.push(`## Under contention

400 calls of 50 ms at once, cap 4. *ideal* is a counter in one process, without Redis. *redis-semaphore* and *bottleneck*
(clustered) run as their manuals say, the former with its usual try every 10 ms. *re-queue* is the policy that waiting
replaced: refused work goes away for 20-40 s. It is **simulated in scaled time**: the 50 ms stand for a call of 20 s
(1 : ${REQUEUE_SCALE}), so its countdown is 50-100 ms.

${chart('contended.svg', 'Time under contention, as a multiple of the ideal')}

| | processes | against the ideal | time | commands per call |
| --- | --- | --- | --- | --- |
${rows.join('\n')}`);
  }
  if (results.admission) {
    sections.push(`## Commands per admission

Counted by Redis itself (\`INFO commandstats\`, commands inside scripts among them), from 4 processes, calls of 20 ms,
cap 4. Bottleneck and redis-semaphore know one cap only.

${chart('commands.svg', 'Redis commands per admission')}`);
  }
  if (results.uncontended) {
    const rows = results.uncontended.map(
      ({ inFlight, noOpMicros, oneCapMicros, threeCapsMicros }) =>
        `| ${inFlight} | ${rounded(noOpMicros / oneCapMicros)} x | ${rounded(noOpMicros / threeCapsMicros)} x | ${Math.round(noOpMicros)} µs | ${Math.round(oneCapMicros)} µs | ${Math.round(threeCapsMicros)} µs |`,
    );
    sections.push(`## With room to spare

The floor is two scripts that do nothing (\`return 1\`): an acquire and a release cannot cost less than that.
Of the 100 short blocks of a round the quietest tenth counts, for all three alike: what else runs on the machine only
ever adds.

${chart('uncontended.svg', 'Cost of an acquire and a release')}

| in flight | floor / one cap | floor / three caps | two no-op scripts | one cap | three caps |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}`);
  }
  if (results.parked) {
    const rows = results.parked.map(
      ({ parked, otherTeam, busyTry, parkAndLeave, handOver, slowestScriptMs }) =>
        `| ${parked.toLocaleString('en')} | ${Math.round(otherTeam)} | ${Math.round(busyTry)} | ${Math.round(parkAndLeave)} | ${handOver === null ? '' : Math.round(handOver)} | ${slowestScriptMs ?? 'under 1'} |`,
    );
    sections.push(`## With a crowd waiting

One team parks more and more requests at its own cap. µs per round trip or round trips, as named.

${chart('parked.svg', 'What a crowd costs')}

| parked | another team: acquire + release | refused try | park + leave | release, claim of the next, park | longest script, ms |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}`);
  }
  if (results.handOff) {
    const { inPlace, job } = results.handOff;
    sections.push(`## Handing over

From the release in one process to the start of the next holder in another, both on the machine's monotonic clock.
${inPlace.rounds} and ${job.rounds} times. The parked job is promoted in its Bull queue and claims its place.

${chart('hand-off.svg', 'Hand-off latency')}`);
  }
  if (results.pipeline) {
    const { makespanMs, floorMs, peak } = results.pipeline;
    sections.push(`## The whole product

64 recordings at once, two ASR slots, 500 ms per transcript: ${Math.round(makespanMs)} ms from the first upload to the
end of the last recap, ${rounded(makespanMs / floorMs)} x of 32 holds and one recap (${Math.round(floorMs)} ms). The provider saw ${peak} calls at
once at the most.`);
  }
  if (results.generations) {
    const { perSecond, barePerSecond, peak } = results.generations;
    sections.push(`## Generations

400 generations of one team, calls of 200 ms, a fleet of 16, all posted before a worker was there. Whole product:
${rounded(perSecond)} a second; a Bull queue that does nothing but the calls: ${rounded(barePerSecond)}. The provider saw ${peak} at once at
the most.`);
  }
  if (results.teams) {
    const rows = results.teams.map(
      ({ teams, admissionMicros }) => `| ${teams.toLocaleString('en')} | ${Math.round(admissionMicros)} |`,
    );
    sections.push(`## An admission among many teams

2,000 wait under a cap of their team, one of the fleet and one of the endpoint. A release, the claim of who is next, and
one more who parks.

| teams | µs |
| --- | --- |
${rows.join('\n')}`);
  }
  if (results.estimates) {
    const { waits, medianError, p90Error } = results.estimates;
    sections.push(`## Waits that were told

After eight to learn from, 30 recordings of 1 to 20 seconds at once, two ASR slots; the provider takes 0.4 s for each
second of audio, give or take 15 %. For ${waits.length} of them a wait was told before they ran: the first one told is off by
${Math.round(medianError * 100)} % in the median and ${Math.round(p90Error * 100)} % at p90. A wait under 5 s counts as right when it is told within 2 s.

${chart('estimates.svg', 'The first wait told against the real one')}`);
  }
  return sections;
}

function describeMachine({ ranAt, machine }: BenchResults): string {
  const { cpu, cores, memoryGib, os, node, redis, loadBefore, loadAfter } = machine;
  return `## The machine

${cpu}, ${cores} cores, ${memoryGib} GiB, ${os}, Node ${node}, Redis ${redis} on the same machine, over loopback. Run at
${ranAt}; load average ${rounded(loadBefore)} before and ${rounded(loadAfter)} after: other programs ran beside it when it is
far above what the bench itself needs (about 2).`;
}
