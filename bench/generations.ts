import { setTimeout as sleep } from 'node:timers/promises';
import type { FlightEntry } from '../apps/emulator/src';
import { BuiltProcess } from '../test/support/built-process';
import { eventually } from '../test/support/eventually';
import { GenerationDesk } from '../test/support/generation-desk';
import { Product } from '../test/support/product';
import type { BullOrder } from './bull-process';
import type { BenchWorld } from './bench-world';
import { startProcess } from './contended';
import { PRODUCT_DEFAULTS, statsOf, withProvider } from './emulated-provider';

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
  world.lendToProducts();
  const bare = await seen((url) => runBare(world, url));
  const whole = await seen(runWhole);
  return { perSecond: whole.perSecond, barePerSecond: bare.perSecond, peak: whole.peak };
}

interface Seen {
  readonly perSecond: number;
  readonly peak: number;
}

async function seen(run: (url: string) => Promise<void>): Promise<Seen> {
  return withProvider({ llm: HOLD_MS }, async (url) => {
    await run(url);
    const { items } = (await (await fetch(`${url}/emulator/log`)).json()) as { items: FlightEntry[] };
    const { llm } = await statsOf(url);
    const calls = items.filter(({ kind }) => kind === 'llm');
    if (calls.length !== GENERATIONS) throw new Error(`${calls.length} calls instead of ${GENERATIONS}`);
    const began = Math.min(...calls.map(({ arrived_at }) => Date.parse(arrived_at)));
    const ended = Math.max(...calls.map(({ ended_at }) => Date.parse(ended_at ?? '')));
    return { perSecond: (GENERATIONS * 1_000) / (ended - began), peak: llm.peak };
  });
}

async function runWhole(url: string): Promise<void> {
  const product = await Product.start({
    processes: 'api',
    env: {
      ...PRODUCT_DEFAULTS,
      QB_LLM_BASE_URL: url,
      QB_LLM_CONCURRENCY_LIMIT: '64',
      QB_GENERATION_FLEET_LIMIT: String(FLEET),
      QB_GENERATION_TEAM_LIMIT: '64',
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
    const { llm } = await statsOf(url);
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
