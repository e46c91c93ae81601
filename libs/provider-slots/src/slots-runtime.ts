import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { connectRedis, type ConnectionRole } from '@app/redis';
import type Redis from 'ioredis';
import { LeaseKeeper } from './lease-keeper';
import { LocalSlots } from './local-slots';
import { OfferChannel } from './offer-channel';
import { PlaceWaiter } from './place-waiter';
import { isRedisAway, RedisOutage } from './redis-outage';
import { SlotDesk } from './slot-desk';
import { SlotMetrics } from './slot-metrics';
import { SlotStore } from './slot-store';
import type { ResolvedOptions } from './slots-options';
import type { Outlook, SlotsSnapshot } from './slot-views';
import { Sweeper } from './sweeper';
import { toNewcomersOutlook, toOutlook, toSnapshot } from './wait-estimate';
import { WakePopper } from './wake-popper';

/** Longest wait for the first connection. */
const CONNECT_MS = 1_500;

/** The parts of the semaphore in one process, wired. */
export class SlotsRuntime {
  readonly store: SlotStore;
  readonly desk: SlotDesk;
  readonly waiter: PlaceWaiter;
  readonly metrics: SlotMetrics;
  private readonly logger = new Logger('ProviderSlots');
  private readonly redis: Redis;
  private readonly keeper: LeaseKeeper;
  private readonly outage: RedisOutage;
  private readonly channel: OfferChannel;
  private readonly sweeper: Sweeper;
  private popper: WakePopper | undefined;

  constructor(private readonly options: ResolvedOptions) {
    this.redis = this.connect('commands');
    this.store = new SlotStore(this.redis, options);
    this.metrics = new SlotMetrics(options.metrics);
    const onFailure = (error: unknown): void => this.noteFailure(error);
    this.keeper = new LeaseKeeper(this.store, options.leaseMs, onFailure, options.metrics);
    const local = new LocalSlots(this.keeper.leases);
    this.outage = new RedisOutage(
      {
        onBegin: () => this.keeper.nudgeAll(),
        probe: () => this.probe(),
        recover: () => this.recover(),
        onEnd: () => local.noteChange(),
      },
      options.metrics,
    );
    this.desk = new SlotDesk(
      this.store,
      this.keeper,
      local,
      () => this.outage,
      this.metrics,
      options.leaseMs,
    );
    this.channel = new OfferChannel(
      () => this.connect('blocking'),
      this.store.channelOf(randomUUID()),
      (placeId) => this.keeper.nudge(placeId),
      () => this.keeper.nudgeAll(),
    );
    this.waiter = new PlaceWaiter(this.desk, this.keeper, this.channel, onFailure);
    this.sweeper = new Sweeper(this.redis, this.store, options.sweepMs, onFailure);
  }

  get waiterCount(): number {
    return this.keeper.waiterCount;
  }

  /** Resolves once Redis answers, or is known to be away. */
  async start(): Promise<void> {
    // First of all: a timer that finds no connection yet would take a slow start for an outage.
    await this.untilConnected();
    this.keeper.start();
    this.sweeper.start();
    const { onWake } = this.options;
    if (onWake) {
      this.popper = new WakePopper(this.connect('blocking'), this.store, onWake);
      this.popper.start();
    }
  }

  /** Gives back what is still held, so that nobody has to wait for a lease to run out. */
  async stop(): Promise<void> {
    this.sweeper.stop();
    this.keeper.stop();
    this.waiter.stop();
    await this.popper?.stop();
    await Promise.allSettled([...this.keeper.leases.values()].map((lease) => lease.release('aborted')));
    this.outage.close();
    this.channel.close();
    this.redis.disconnect();
  }

  /** @throws when Redis is away */
  async outlook(placeId: string): Promise<Outlook | null> {
    const view = await this.store.viewOutlook(placeId);
    return view && toOutlook(view);
  }

  /** @throws when Redis is away */
  async newcomersOutlook(capNames: readonly string[]): Promise<Outlook> {
    return toNewcomersOutlook(await this.store.viewCaps(capNames), Date.now());
  }

  async snapshot(): Promise<SlotsSnapshot> {
    if (this.outage.isOn) return { degraded: true, caps: [] };
    try {
      return { degraded: false, caps: (await this.store.viewSnapshot()).map(toSnapshot) };
    } catch (error) {
      if (!isRedisAway(error)) throw error;
      this.outage.begin(error);
      return { degraded: true, caps: [] };
    }
  }

  private async untilConnected(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.outage.begin(new Error('no connection yet'));
        resolve();
      }, CONNECT_MS);
      this.redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private noteFailure(error: unknown): void {
    if (!isRedisAway(error)) {
      this.logger.error({ err: error as Error }, 'Keeping leases or sweeping failed');
      return;
    }
    this.outage.begin(error);
  }

  /** A line that is up but silent may be dead without knowing; the next probe goes over a new one. */
  private async probe(): Promise<void> {
    try {
      await this.redis.ping();
    } catch (error) {
      if (this.redis.status === 'ready') this.redis.disconnect(true);
      throw error;
    }
  }

  private async recover(): Promise<void> {
    await this.desk.settleDoubts();
    await this.keeper.renew();
  }

  private connect(role: ConnectionRole): Redis {
    const { connect, url } = this.options;
    return connect ? connect(role) : connectRedis(url ?? '', role, `slots-${role}`);
  }
}
