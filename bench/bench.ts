import 'reflect-metadata';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { BenchWorld } from './bench-world';
import { ONE_CAP, runContended, THREE_CAPS, type ContendedRun } from './contended';
import { CONTENDER_NAMES, type ContenderName } from './contenders';
import { measureEstimates } from './estimates';
import { runGenerations } from './generations';
import { measureHandOff } from './hand-off';
import { measureParked } from './parked';
import { writePerformancePage } from './performance-page';
import { runPipeline } from './pipeline';
import type { BenchResults, Latency, Machine } from './results';
import { median, quantile } from './statistics';
import { measureTeams } from './teams';
import { runUncontended } from './uncontended';

// npm run bench [-- --rounds=5 --fresh uncontended parked …]; without names it measures all, and what is not
// measured now is kept from the run before, unless --fresh.

const RESULTS = join(__dirname, 'results/latest.json');

type Measurement = (world: BenchWorld, rounds: number) => Promise<Partial<BenchResults>>;

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  uncontended: async (world, rounds) => {
    const uncontended = [];
    for (const inFlight of [1, 32]) {
      const runs = await repeat(rounds, () => runUncontended(world, inFlight));
      uncontended.push({ inFlight, ...mediansOf(runs) });
    }
    return { uncontended };
  },

  handOff: async (world) => ({
    handOff: {
      inPlace: toLatency(await measureHandOff(world, 'in place', 500)),
      job: toLatency(await measureHandOff(world, 'job', 300)),
    },
  }),

  admission: async (world, rounds) => {
    const sizes = [
      { contender: 'questline', caps: ONE_CAP, requests: 400 },
      { contender: 'questline', caps: ONE_CAP, requests: 1_600 },
      { contender: 'questline', caps: THREE_CAPS, requests: 400 },
      { contender: 'redis-semaphore', caps: ONE_CAP, requests: 400 },
      { contender: 'bottleneck', caps: ONE_CAP, requests: 400 },
    ] as const;
    const admission = [];
    for (const { contender, caps, requests } of sizes) {
      const runs = await repeat(Math.min(3, rounds), () =>
        runContended(world, contender, { processes: 4, requests, holdMs: 20, caps }),
      );
      const { commandsPerAdmission: commands, scriptsPerAdmission: scripts } = mediansOf(runs);
      admission.push({ contender, caps: caps.length, requests, commands, scripts });
    }
    return { admission };
  },

  contended: async (world, rounds) => {
    const contended = [];
    for (const processes of [1, 4]) {
      const runs = new Map<ContenderName, ContendedRun[]>(CONTENDER_NAMES.map((name) => [name, []]));
      for (let round = 0; round < rounds; round += 1) {
        for (const name of CONTENDER_NAMES) {
          // Only one process can be ideal; its time is that of the same work without any Redis.
          const size = { processes: name === 'ideal' ? 1 : processes };
          runs.get(name)!.push(await runContended(world, name, size));
        }
      }
      const medians = [...runs].map(([name, all]) => [name, mediansOf(all)] as const);
      contended.push({
        processes,
        byContender: Object.fromEntries(medians) as Record<ContenderName, ContendedRun>,
      });
    }
    return { contended };
  },

  parked: async (world) => ({ parked: await measureParked(world, [0, 10, 1_000, 100_000]) }),

  pipeline: async (world, rounds) => {
    const runs = await repeat(rounds, () => runPipeline(world));
    const peak = Math.max(...runs.map((run) => run.peak));
    return { pipeline: { ...mediansOf(runs), peak } };
  },

  generations: async (world, rounds) => {
    const runs = await repeat(rounds, () => runGenerations(world));
    const peak = Math.max(...runs.map((run) => run.peak));
    return { generations: { ...mediansOf(runs), peak } };
  },

  teams: async (world) => ({ teams: await measureTeams(world, [1, 10, 1_000]) }),

  estimates: async (world) => ({ estimates: await measureEstimates(world) }),
};

async function main(args: readonly string[]): Promise<void> {
  Logger.overrideLogger(['error', 'warn']);
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.filter((name) => !(name in MEASUREMENTS));
  if (unknown.length > 0) throw new Error(`No such measurement: ${unknown.join(', ')}`);
  const rounds = Number(args.find((arg) => arg.startsWith('--rounds='))?.slice('--rounds='.length) ?? 5);
  const [loadBefore = 0] = loadavg();
  const world = await BenchWorld.open();
  try {
    const kept = args.includes('--fresh') ? {} : readResults();
    const redis = /redis_version:(\S+)/.exec(await world.redis.info('server'))?.[1] ?? 'unknown';
    const results: BenchResults = {
      ...kept,
      ranAt: new Date().toISOString(),
      rounds,
      machine: describeMachine(redis, loadBefore),
    };
    for (const [name, measure] of Object.entries(MEASUREMENTS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      const startedAt = Date.now();
      Object.assign(results, await measure(world, rounds));
      process.stdout.write(`${name}: ${Math.round((Date.now() - startedAt) / 1_000)} s\n`);
      results.machine = { ...results.machine, loadAfter: loadavg()[0] ?? 0 };
      mkdirSync(join(__dirname, 'results'), { recursive: true });
      writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    }
    writePerformancePage(results);
  } finally {
    await world.close();
  }
}

function readResults(): Partial<BenchResults> {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as BenchResults;
  } catch {
    return {};
  }
}

function describeMachine(redis: string, loadBefore: number): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node: process.version,
    redis,
    loadBefore,
    loadAfter: loadBefore,
  };
}

async function repeat<T>(rounds: number, run: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await run());
  return all;
}

/** The median of each figure on its own. */
function mediansOf<T extends object>(runs: readonly T[]): T {
  const [first] = runs;
  if (first === undefined) throw new Error('Nothing was measured');
  const figures = Object.keys(first).map((figure) => [
    figure,
    median(runs.map((run) => (run as Record<string, number>)[figure] ?? NaN)),
  ]);
  return Object.fromEntries(figures) as T;
}

function toLatency(tookMs: readonly number[]): Latency {
  return { rounds: tookMs.length, p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
