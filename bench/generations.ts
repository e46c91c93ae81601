import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatorStats, FlightEntry } from '../apps/emulator/src';
import { BuiltProcess } from '../test/support/built-process';
import { eventually } from '../test/support/eventually';
import { GenerationDesk } from '../test/support/generation-desk';
import { Product } from '../test/support/product';
import type { BullOrder } from './bull-process';
import type { BenchWorld } from './bench-world';
import { startProcess } from './contended';

const GENERATIONS = 400;
const FLEET = 16;
const HOLD_MS = 200;
const POLL_MS = 250;

export interface GenerationsRun {
  /** Through the whole system: rows, caps of team, fleet and endpoint, usage. */
  readonly perSecond: number;
  /** The same calls from a Bull queue that does nothing else. */
  readonly barePerSecond: number;
  readonly peak: number;
}

/** Both are posted before a worker is there; the clock runs from the first call's arrival to the end of the last. */
export async function runGenerations(world: BenchWorld): Promise<GenerationsRun> {
  process.env['QB_TEST_DATABASE_URL'] = world.databaseUrl;
  process.env['QB_TEST_REDIS_URL'] = world.redisUrl;
  const bare = await withProvider((url) => runBare(world, url));
  const whole = await withProvider(runWhole);
  return { perSecond: whole.perSecond, barePerSecond: bare.perSecond, peak: whole.peak };
}

interface Seen {
  readonly perSecond: number;
  readonly peak: number;
}

async function withProvider(run: (url: string) => Promise<void>): Promise<Seen> {
  const provider = startProcess('emulator-process.ts', { holdMs: { llm: HOLD_MS } });
  const [url] = (await once(provider, 'message')) as [string];
  try {
    await run(url);
    const { items } = (await (await fetch(`${url}/emulator/log`)).json()) as { items: FlightEntry[] };
    const { llm } = (await (await fetch(`${url}/emulator/stats`)).json()) as EmulatorStats;
    const calls = items.filter(({ kind }) => kind === 'llm');
    if (calls.length !== GENERATIONS) throw new Error(`${calls.length} calls instead of ${GENERATIONS}`);
    const began = Math.min(...calls.map(({ arrived_at }) => Date.parse(arrived_at)));
    const ended = Math.max(...calls.map(({ ended_at }) => Date.parse(ended_at ?? '')));
    return { perSecond: (GENERATIONS * 1_000) / (ended - began), peak: llm.peak };
  } finally {
    provider.disconnect();
  }
}

async function runWhole(url: string): Promise<void> {
  const product = await Product.start({
    processes: 'api',
    env: {
      QB_LLM_BASE_URL: url,
      QB_LLM_CONCURRENCY_LIMIT: '64',
      QB_GENERATION_FLEET_LIMIT: String(FLEET),
      QB_GENERATION_TEAM_LIMIT: '64',
      QB_REQUEUE_MIN_MS: '20000',
      QB_REQUEUE_MAX_MS: '40000',
      QB_RECONCILE_INTERVAL_MS: '30000',
    },
  });
  let worker: BuiltProcess | undefined;
  try {
    const desk = await GenerationDesk.open(product, 'A');
    await desk.postMany(GENERATIONS);
    worker = await BuiltProcess.start('worker', product.processEnv);
    await untilServed(url);
    await desk.allEnded(10_000);
  } finally {
    await worker?.stop();
    await product.stop();
  }
}

/** Asks the provider, and seldom: the product must not be busy with being asked. */
async function untilServed(url: string): Promise<void> {
  for (;;) {
    const { llm } = (await (await fetch(`${url}/emulator/stats`)).json()) as EmulatorStats;
    if (llm.requests === GENERATIONS && llm.in_flight === 0) return;
    await sleep(POLL_MS);
  }
}

async function runBare(world: BenchWorld, url: string): Promise<void> {
  const order: BullOrder = {
    redisUrl: world.redisUrl,
    prefix: world.newPrefix(),
    url,
    jobs: GENERATIONS,
    concurrency: FLEET,
  };
  const child = startProcess('bull-process.ts', order);
  await eventually('the bare queue is done', () => child.exitCode !== null, { withinMs: 120_000 });
  if (child.exitCode !== 0) throw new Error('The bare queue failed');
}
