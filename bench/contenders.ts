import { setTimeout as sleep } from 'node:timers/promises';
import { RequestScope } from '@app/request-scope';
import { ProviderSlots, type CapRequest } from '@app/provider-slots';
import Bottleneck from 'bottleneck';
import Redis from 'ioredis';
import { Semaphore } from 'redis-semaphore';

export const CONTENDER_NAMES = ['ideal', 'questline', 'redis-semaphore', 'bottleneck', 're-queue'] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

/** Runs work under a cap, each in its own way. */
export interface Contender {
  run(index: number, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface Contest {
  readonly redisUrl: string;
  readonly prefix: string;
  /** Narrowest first; only ours knows more than one. */
  readonly caps: readonly CapRequest[];
  readonly groups: number;
  /** The countdown of the re-queue policy, already scaled. */
  readonly requeueMs: readonly [number, number];
}

export async function openContender(name: ContenderName, contest: Contest): Promise<Contender> {
  switch (name) {
    case 'ideal':
      return openIdeal(contest);
    case 'questline':
      return openQuestline(contest);
    case 'redis-semaphore':
      return openRedisSemaphore(contest);
    case 'bottleneck':
      return openBottleneck(contest);
    case 're-queue':
      return openRequeue(contest);
  }
}

/** The limit of the widest cap that has one. */
function limitOf({ caps }: Contest): number {
  return Math.min(...caps.map(({ limit }) => limit ?? Infinity));
}

/** A counter and a list in this process: nothing that spans processes can be faster. */
async function openIdeal(contest: Contest): Promise<Contender> {
  let free = limitOf(contest);
  const waiting: (() => void)[] = [];
  return {
    async run(_index, work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      await work();
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
    async close() {},
  };
}

async function openSlots({ redisUrl, prefix }: Contest): Promise<ProviderSlots> {
  const slots = new ProviderSlots({ url: redisUrl, prefix }, new RequestScope());
  await slots.onModuleInit();
  return slots;
}

async function openQuestline(contest: Contest): Promise<Contender> {
  const slots = await openSlots(contest);
  // The channel on which waiters hear of their offers is opened by the first of them.
  const warm = { caps: [{ name: 'warm', limit: 1 }], group: 'warm' };
  await (await slots.acquire({ ...warm, placeId: `warm-${process.pid}` })).release();
  return {
    async run(index, work) {
      const placeId = `${process.pid}-${index}`;
      const lease = await slots.acquire({ placeId, caps: contest.caps, group: `g${index % contest.groups}` });
      await work();
      await lease.release();
    },
    close: () => slots.onModuleDestroy(),
  };
}

async function openRedisSemaphore(contest: Contest): Promise<Contender> {
  const redis = new Redis(contest.redisUrl);
  await redis.ping();
  return {
    async run(_index, work) {
      // Its defaults, among them a try every 10 ms; only the patience is ours.
      const semaphore = new Semaphore(redis, `${contest.prefix}-rs`, limitOf(contest), {
        acquireTimeout: 600_000,
      });
      await semaphore.acquire();
      await work();
      await semaphore.release();
    },
    async close() {
      redis.disconnect();
    },
  };
}

async function openBottleneck(contest: Contest): Promise<Contender> {
  const { hostname: host, port } = new URL(contest.redisUrl);
  const limiter = new Bottleneck({
    id: `${contest.prefix}-bn`,
    datastore: 'ioredis',
    Redis,
    clientOptions: { host, port: Number(port) },
    maxConcurrent: limitOf(contest),
  });
  await limiter.ready();
  return {
    run: (_index, work) => limiter.schedule(work),
    close: () => limiter.disconnect(),
  };
}

/** The policy that waiting in a queue replaced: refused work goes away for a while and tries again. */
async function openRequeue(contest: Contest): Promise<Contender> {
  const slots = await openSlots(contest);
  const [least, most] = contest.requeueMs;
  return {
    async run(index, work) {
      const placeId = `${process.pid}-${index}`;
      for (;;) {
        const answer = await slots.tryAcquire({
          placeId,
          caps: contest.caps,
          group: `g${index % contest.groups}`,
        });
        if (answer.outcome === 'granted') {
          await work();
          return answer.lease.release();
        }
        await sleep(least + Math.random() * (most - least));
      }
    },
    close: () => slots.onModuleDestroy(),
  };
}
