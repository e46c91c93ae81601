import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CapRequest, Lease, ProviderSlots } from '@app/provider-slots';
import { connectRedis } from '@app/redis';
import type Redis from 'ioredis';
import { SlotsWorld } from '../../libs/provider-slots/src/testing/slots-world';
import { eventually } from '../support/eventually';
import { CountingProvider, type CountedCall } from './counting-provider';
import type { RaceOrder } from './racing-process';

const ROOT = join(__dirname, '../..');
const IS_LONG = process.env['QB_PROPERTY_RUNS'] !== undefined;
const PROCESSES = IS_LONG ? 4 : 2;
const REQUESTS = IS_LONG ? 200 : 60;
const LIMITS = IS_LONG ? [1, 2, 7] : [2];
const SHAPES = IS_LONG ? (['single', 'stacked'] as const) : (['stacked'] as const);
const GROUPS = 9;
const HOLD_MS = 3;

type Shape = 'single' | 'stacked';

/** Team i asks for about (i + 2) / 54 of all, so that the load is uneven and each has enough to compare. */
function groupOf(index: number): number {
  const weights = Array.from({ length: GROUPS }, (_, group) => group + 2);
  let rest = (index * 7) % weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (rest -= weight) < 0);
}

function capsOf(group: string, shape: Shape, limit: number): CapRequest[] {
  const fleet = { name: 'fleet', limit };
  const team = { name: `team:${group}`, limit: Math.max(1, limit - 1) };
  return shape === 'single' ? [fleet] : [team, fleet, { name: 'endpoint', limit: null }];
}

/** Everybody queues up behind a closed door, the door opens, and the provider counts. */
async function race(shape: Shape, limit: number) {
  const patient = (): Redis => connectRedis(process.env['QB_TEST_REDIS_URL'] ?? '', 'blocking', 'race');
  const world = new SlotsWorld({ connect: patient });
  const provider = await CountingProvider.start(HOLD_MS);
  try {
    const slots = await world.open();
    const door = await closeDoor(slots, limit);
    const runs = Array.from({ length: PROCESSES }, (_, process) => {
      const requests = Array.from({ length: REQUESTS }, (_, index) => {
        const group = `g${groupOf(process * REQUESTS + index)}`;
        return { placeId: `${process}-${index}`, group, caps: capsOf(group, shape, limit) };
      });
      return run({
        redisUrl: world.url,
        prefix: world.prefix,
        providerPort: provider.port,
        // One of them parks and is woken, as a Bull worker does.
        verb: process === 0 ? 'park' : 'acquire',
        requests,
      });
    });
    const all = PROCESSES * REQUESTS;
    const queued = async () => (await slots.snapshot()).caps.reduce((sum, cap) => sum + cap.waiting, 0);
    await eventually('all are queued', async () => (await queued()) === all, { withinMs: 60_000 });
    for (const lease of door) await lease.release();
    await Promise.all(runs);
    const left = (await slots.snapshot()).caps.map(
      ({ inUse, offered, waiting }) => inUse + offered + waiting,
    );
    return { provider, all, left };
  } finally {
    provider.close();
    await world.close();
  }
}

async function closeDoor(slots: ProviderSlots, limit: number): Promise<Lease[]> {
  const door = Array.from({ length: limit }, (_, i) =>
    slots.acquire({ placeId: `door-${i}`, group: 'door', caps: [{ name: 'fleet', limit }] }),
  );
  return Promise.all(door);
}

async function run(order: RaceOrder): Promise<void> {
  const register = join(ROOT, 'test/support/swc-register.cjs');
  const program = join(__dirname, 'racing-process.ts');
  await promisify(execFile)(process.execPath, ['-r', register, program, JSON.stringify(order)], {
    cwd: ROOT,
  });
}

/** 1 when all got the same, 1/n when one got everything. */
function jain(counts: readonly number[]): number {
  const sum = counts.reduce((total, count) => total + count, 0);
  return sum ** 2 / (counts.length * counts.reduce((total, count) => total + count ** 2, 0));
}

/** How many each group got for as long as every group still waited. */
function sharesWhileAllWait(calls: readonly CountedCall[]): number[] {
  const inOrder = [...calls].sort((a, b) => Number(a.leaseId) - Number(b.leaseId));
  const rest = new Map<string, number>();
  for (const { group } of calls) rest.set(group, (rest.get(group) ?? 0) + 1);
  const got = new Map([...rest.keys()].map((group) => [group, 0]));
  for (const { group } of inOrder) {
    got.set(group, got.get(group)! + 1);
    rest.set(group, rest.get(group)! - 1);
    if (rest.get(group) === 0) break;
  }
  return [...got.values()];
}

describe(`a race of ${PROCESSES} processes with ${REQUESTS} requests each`, () => {
  const cases = SHAPES.flatMap((shape) => LIMITS.map((limit) => [shape, limit] as const));

  it.each(cases)(
    'P1 cap, P2 full quota, P3 order: %s caps of %i: the peak is the limit, all are served, in order and in turn',
    async (shape, limit) => {
      const { provider, all, left } = await race(shape, limit);
      const { calls, peak, peakByGroup } = provider;
      expect({
        peak,
        served: new Set(calls.map(({ placeId }) => placeId)).size,
        calls: calls.length,
      }).toEqual({
        peak: limit,
        served: all,
        calls: all,
      });
      expect(left.reduce((sum, count) => sum + count, 0)).toBe(0);
      if (shape === 'stacked') {
        expect(Math.max(...peakByGroup.values())).toBeLessThanOrEqual(Math.max(1, limit - 1));
      }
      for (const group of new Set(calls.map((call) => call.group))) {
        const own = calls.filter((call) => call.group === group);
        const byLease = [...own].sort((a, b) => Number(a.leaseId) - Number(b.leaseId));
        const tickets = byLease.map(({ ticket }) => Number(ticket));
        expect(tickets).toEqual([...tickets].sort((a, b) => a - b));
      }
      expect(jain(sharesWhileAllWait(calls))).toBeGreaterThanOrEqual(0.95);
    },
    120_000,
  );
});
