import { randomBytes } from 'node:crypto';
import { RequestScope } from '@app/request-scope';
import { connectRedis } from '@app/redis';
import type Redis from 'ioredis';
import { ProviderSlots } from '../provider-slots';
import { resolveOptions, type SlotsOptions } from '../slots-options';
import { SlotStore } from '../slot-store';
import { toStored, type AskMode } from '../slot-records';
import type { CapRequest, SlotRequest } from '../slot-request';

/** A semaphore of its own under a random prefix, with a clock that a test may hold. */
export class SlotsWorld {
  readonly prefix = `test-${randomBytes(6).toString('hex')}`;
  readonly scope = new RequestScope();
  readonly redis: Redis;
  readonly store: SlotStore;
  private readonly opened: ProviderSlots[] = [];
  /** Undefined: Redis's own clock. */
  nowMs: number | undefined;

  constructor(
    private readonly options: Partial<SlotsOptions> = {},
    // eslint-disable-next-line no-restricted-properties -- the tests' own Redis, never part of the product
    readonly url: string = process.env['QB_TEST_REDIS_URL'] ?? '',
  ) {
    this.redis = connectRedis(url, 'blocking', 'slots-test');
    this.store = new SlotStore(this.redis, resolveOptions(this.allOptions({})));
  }

  /** Holds the clock, which must start at real time: Redis deletes at once what expires in its past. */
  pinClock(): this {
    this.nowMs = Date.now();
    return this;
  }

  advance(ms: number): void {
    this.nowMs = (this.nowMs ?? Date.now()) + ms;
  }

  /** One process's semaphore. */
  async open(options: Partial<SlotsOptions> = {}): Promise<ProviderSlots> {
    const slots = new ProviderSlots(this.allOptions(options), this.scope);
    this.opened.push(slots);
    await slots.onModuleInit();
    return slots;
  }

  /** Straight to the script, for tests of the rules themselves. */
  ask(request: SlotRequest, mode: AskMode = 'park', nonce = randomBytes(6).toString('hex')) {
    return this.store.acquireSlot(toStored(request, nonce), mode);
  }

  /** The lease id of a grant. @throws when it was none */
  async grant(request: SlotRequest, mode: AskMode = 'park', nonce?: string): Promise<string> {
    const reply = await this.ask(request, mode, nonce);
    if (reply.outcome !== 'granted')
      throw new Error(`${request.placeId} was not granted but ${reply.outcome}`);
    return reply.leaseId;
  }

  /** Parks each of the places, in this order. @throws when one was not parked */
  async park(...requests: SlotRequest[]): Promise<void> {
    for (const request of requests) {
      const reply = await this.ask(request);
      if (reply.outcome !== 'parked')
        throw new Error(`${request.placeId} was not parked but ${reply.outcome}`);
    }
  }

  /** Of the place as it is stored; undefined when there is none. */
  async stateOf(placeId: string): Promise<string | undefined> {
    return (await this.redis.hget(`${this.root}:place:${placeId}`, 'state')) ?? undefined;
  }

  async statesOf(...placeIds: string[]): Promise<(string | undefined)[]> {
    return Promise.all(placeIds.map((placeId) => this.stateOf(placeId)));
  }

  /** Works off all that is due, as the sweeper does. */
  async sweep(): Promise<void> {
    while ((await this.store.sweepSlots()) > 0);
  }

  /** Every key under this world's prefix. A test may scan; the product never does. */
  async keys(): Promise<string[]> {
    return (await this.redis.keys(`${this.prefix}*`)).sort();
  }

  /** Loses all state, as a Redis that restarted empty has. */
  async wipe(): Promise<void> {
    const keys = await this.keys();
    if (keys.length > 0) await this.redis.del(...keys);
  }

  get root(): string {
    return this.store.root;
  }

  /** Held and offered. */
  held(cap: string): Promise<number> {
    return this.redis.zcard(`${this.root}:cap:${cap}:held`);
  }

  /** The places that are offered a slot of the cap. */
  offers(cap: string): Promise<string[]> {
    return this.redis.zrangebyscore(`${this.root}:cap:${cap}:held`, '-inf', 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map((slots) => slots.onModuleDestroy()));
    this.redis.disconnect();
  }

  private allOptions(options: Partial<SlotsOptions>): SlotsOptions {
    const pinnedTime = (): number | undefined => this.nowMs;
    return { url: this.url, prefix: this.prefix, sweepMs: 0, ...this.options, pinnedTime, ...options };
  }
}

/** Opens worlds and closes them after each test. */
export function useWorlds(): (options?: Partial<SlotsOptions>) => SlotsWorld {
  const worlds: SlotsWorld[] = [];
  afterEach(() => Promise.all(worlds.splice(0).map((world) => world.close())));
  return (options) => {
    const world = new SlotsWorld(options);
    worlds.push(world);
    return world;
  };
}

/** A request for one cap. */
export function wish(
  placeId: string,
  cap: CapRequest | readonly CapRequest[],
  more: Partial<SlotRequest> = {},
): SlotRequest {
  const caps = Array.isArray(cap) ? (cap as readonly CapRequest[]) : [cap as CapRequest];
  return { placeId, group: 'team', caps, ...more };
}
