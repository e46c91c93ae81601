import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CapRequest } from '@app/provider-slots';
import type Redis from 'ioredis';
import type { ContenderName } from './contenders';
import type { ContendingOrder } from './contending-process';
import type { BenchWorld } from './bench-world';

const CAP = 4;
const HOLD_MS = 50;
const REQUESTS = 400;
const GROUPS = 8;

/** The 50 ms of a hold stand for a call of 20 s, so the countdown of 20-40 s becomes 50-100 ms. */
export const REQUEUE_SCALE = 20_000 / HOLD_MS;
const REQUEUE_MS = [20_000 / REQUEUE_SCALE, 40_000 / REQUEUE_SCALE] as const;

export const ONE_CAP: readonly CapRequest[] = [{ name: 'endpoint', limit: CAP }];
export const THREE_CAPS: readonly CapRequest[] = [
  { name: 'team', limit: CAP },
  { name: 'fleet', limit: 2 * CAP },
  { name: 'endpoint', limit: null },
];

export interface ContendedRun {
  readonly makespanMs: number;
  readonly commandsPerAdmission: number;
  readonly scriptsPerAdmission: number;
}

export interface ContendedSize {
  readonly processes: number;
  readonly requests?: number;
  readonly holdMs?: number;
  readonly caps?: readonly CapRequest[];
}

/** All requests at once, from so many processes; how long until the last has ended. */
export async function runContended(
  world: BenchWorld,
  contender: ContenderName,
  { processes, requests = REQUESTS, holdMs = HOLD_MS, caps = ONE_CAP }: ContendedSize,
): Promise<ContendedRun> {
  const order: ContendingOrder = {
    contender,
    requests: requests / processes,
    holdMs,
    redisUrl: world.redisUrl,
    prefix: world.newPrefix(),
    caps,
    groups: GROUPS,
    requeueMs: REQUEUE_MS,
  };
  const children = Array.from({ length: processes }, () => startProcess('contending-process.ts', order));
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const before = await countCommands(world.redis);
    const ends = children.map(
      (child) => once(child, 'message') as Promise<[{ startedAt: string; endedAt: string }]>,
    );
    for (const child of children) child.send('go');
    const times = (await Promise.all(ends)).map(([time]) => time);
    const after = await countCommands(world.redis);
    const startedAt = Math.min(...times.map((time) => Number(time.startedAt)));
    const endedAt = Math.max(...times.map((time) => Number(time.endedAt)));
    return {
      makespanMs: (endedAt - startedAt) / 1e6,
      commandsPerAdmission: (after.all - before.all) / requests,
      scriptsPerAdmission: (after.scripts - before.scripts) / requests,
    };
  } finally {
    await Promise.all(children.map(async (child) => child.exitCode ?? once(child, 'exit')));
  }
}

export function startProcess(program: string, order: unknown): ChildProcess {
  const register = join(__dirname, '../test/support/swc-register.cjs');
  return fork(join(__dirname, program), [JSON.stringify(order)], { execArgv: ['-r', register] });
}

/** Commands that Redis ran so far, those inside scripts too. */
export async function countCommands(redis: Redis): Promise<{ all: number; scripts: number }> {
  const info = await redis.info('commandstats');
  let all = 0;
  let scripts = 0;
  for (const [, name, calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (name === 'info') continue;
    all += Number(calls);
    if (name === 'fcall' || name === 'evalsha' || name === 'eval') scripts += Number(calls);
  }
  return { all, scripts };
}
