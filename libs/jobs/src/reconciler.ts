import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { newId } from '@app/kernel';
import { Metrics } from '@app/observability';
import { ProviderSlots } from '@app/provider-slots';
import { connectRedis } from '@app/redis';
import type Redis from 'ioredis';
import { jobIdOf, parseJobId } from './job-payload';
import { JobQueues } from './job-queues';
import type { QueueRole } from './queue-names';
import type { RunSource, UnfinishedRun } from './run-source';
import { RunningJobs } from './running-jobs';

/** What a pass mended; the label of `reconciler_repairs_total`. */
export type Repair = 'job_added' | 'job_removed' | 'place_dropped';

const PAGE = 500;

/** Fleet-wide leader for a pass; one that died is replaced after a few intervals, within these bounds. */
const LEADER_INTERVALS = 3;
const LEADER_LEAST_MS = 5_000;
const LEADER_MOST_MS = 60_000;

/**
 * Compares rows, jobs and places of slots, and mends what differs. Postgres is the truth:
 *
 *     a row that has not ended, without a job      its job is added; the same id, so exactly once
 *     a job whose row has ended or is gone         the job is removed
 *     a place whose row has ended or is gone       dropped, when two passes saw it so
 *
 * After Redis lost its data, holders re-assert their leases within one renewal interval. Until then a row
 * that may hold a slot is left alone: asking again with a live place would take its paid work over. For the
 * same reason such a row's job is added only when two passes saw it without one and without a slot: between
 * a call's end and its checkpoint an attempt that lost its job has neither, and has paid.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Reconciler.name);
  private readonly sources: RunSource[] = [];
  private readonly me = newId();
  private readonly redis: Redis;
  private readonly leaderKey: string;
  private readonly sinceKey: string;
  private readonly leaderMs: number;
  private suspects = new Set<string>();
  private idle = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private passing: Promise<void> | undefined;
  private isBrokenOff = false;

  constructor(
    private readonly config: AppConfig,
    private readonly queues: JobQueues,
    private readonly slots: ProviderSlots,
    private readonly running: RunningJobs,
    private readonly metrics: Metrics,
  ) {
    this.redis = connectRedis(config.REDIS_URL ?? '', 'commands', 'questline-reconciler');
    this.leaderKey = `${config.QB_REDIS_PREFIX}:reconciler:leader`;
    const wantedMs = LEADER_INTERVALS * config.QB_RECONCILE_INTERVAL_MS;
    this.leaderMs = Math.min(LEADER_MOST_MS, Math.max(LEADER_LEAST_MS, wantedMs));
    this.sinceKey = `${config.QB_REDIS_PREFIX}:reconciler:since`;
  }

  watch(source: RunSource): void {
    this.sources.push(source);
  }

  /** Only where rows are known: a process without any would lead the fleet and mend nothing. */
  onApplicationBootstrap(): void {
    if (this.sources.length === 0) return;
    this.timer = setInterval(() => {
      // A pass that takes longer than the interval is not followed by a queue of others.
      this.passing ??= this.passIfLeader().finally(() => (this.passing = undefined));
    }, this.config.QB_RECONCILE_INTERVAL_MS);
    this.timer.unref();
  }

  /** Ends the passes; resolves when the one under way is over. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.passing;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
    this.redis.disconnect();
  }

  /** One pass by one process of the fleet; never throws, since the next pass comes anyway. */
  private async passIfLeader(): Promise<void> {
    try {
      await this.redis.set(this.leaderKey, this.me, 'PX', this.leaderMs, 'NX');
      if ((await this.redis.get(this.leaderKey)) === this.me) {
        await this.redis.pexpire(this.leaderKey, this.leaderMs);
        await this.pass();
      }
      this.isBrokenOff = false;
    } catch (error) {
      // While a store is away every pass breaks off: said once.
      if (!this.isBrokenOff) this.logger.warn({ err: error as Error }, 'A reconciling pass broke off');
      this.isBrokenOff = true;
    }
  }

  /** @throws when Redis or Postgres is away. */
  async pass(): Promise<void> {
    const settled = await this.redisIsSettled();
    const idle = new Set<string>();
    for (const source of this.sources) {
      for await (const run of this.runsWithoutJob(source)) {
        if (run.mayHoldSlot && !(settled && this.wasIdle(run, idle))) continue;
        await this.addJob(run);
      }
      await this.removeOrphanJobs(source);
    }
    this.idle = idle;
    await this.dropGhostPlaces();
  }

  /** Whether Redis has kept its data for at least one renewal interval. */
  private async redisIsSettled(): Promise<boolean> {
    const [seconds = 0] = await this.redis.time();
    await this.redis.set(this.sinceKey, seconds, 'NX');
    const since = Number(await this.redis.get(this.sinceKey));
    return (Number(seconds) - since) * 1_000 > this.config.QB_SLOT_LEASE_MS / 3 + 1_000;
  }

  /** Runs that nobody works for: no job, and no place that is held. */
  private async *runsWithoutJob(source: RunSource): AsyncGenerator<UnfinishedRun> {
    let after: string | undefined;
    for (;;) {
      const runs = await source.listUnfinished(after, PAGE);
      after = runs.at(-1)?.rowId;
      yield* await this.notHeld(await this.queues.withoutJob(runs));
      if (runs.length < PAGE) return;
    }
  }

  /** Whether the last pass saw the run idle too; it is noted for the next one. */
  private wasIdle({ rowId, run }: UnfinishedRun, idle: Set<string>): boolean {
    const jobId = jobIdOf(rowId, run);
    idle.add(jobId);
    return this.idle.has(jobId);
  }

  /** A place that is held is being worked for, whatever became of its job. */
  private async notHeld(runs: UnfinishedRun[]): Promise<UnfinishedRun[]> {
    const held = await this.slots.heldAmong(runs.map(({ placeId }) => placeId));
    return runs.filter(({ placeId }) => !held.has(placeId));
  }

  private async addJob({ rowId, run, teamId, role, queueName, enqueuedAtMs }: UnfinishedRun): Promise<void> {
    await this.queues.enqueue(role, { rowId, run, teamId, enqueuedAt: enqueuedAtMs }, queueName);
    this.note('job_added', { role, job: jobIdOf(rowId, run) });
  }

  private async removeOrphanJobs(source: RunSource): Promise<void> {
    for (const role of source.roles) {
      for await (const jobIds of this.queues.pagesOfJobIds(role, PAGE)) {
        const unfinished = await source.findUnfinished(jobIds.flatMap((jobId) => parseJobId(jobId) ?? []));
        for (const jobId of jobIds) if (!unfinished.has(jobId)) await this.removeJob(role, jobId);
      }
    }
  }

  private async removeJob(role: QueueRole, jobId: string): Promise<void> {
    await this.running.cancel(jobId);
    if (await this.queues.remove(role, jobId)) this.note('job_removed', { role, job: jobId });
  }

  private async dropGhostPlaces(): Promise<void> {
    const ghosts = new Set<string>();
    for (const source of this.sources) {
      for await (const placeIds of this.slots.pagesOfPlaces()) {
        const runs = new Map(placeIds.flatMap((placeId) => pairWithRun(source, placeId)));
        const unfinished = await source.findUnfinished([...runs.values()]);
        for (const [placeId, { rowId, run }] of runs)
          if (!unfinished.has(jobIdOf(rowId, run))) ghosts.add(placeId);
      }
    }
    for (const placeId of ghosts) {
      if (!this.suspects.has(placeId)) continue;
      await this.slots.drop(placeId);
      ghosts.delete(placeId);
      this.note('place_dropped', { place: placeId });
    }
    this.suspects = ghosts;
  }

  private note(repair: Repair, facts: Record<string, string>): void {
    this.metrics.reconcilerRepairsTotal.inc({ repair });
    this.logger.warn({ repair, ...facts }, 'Reconciled');
  }
}

function pairWithRun(source: RunSource, placeId: string): Array<[string, { rowId: string; run: number }]> {
  const run = source.runOfPlace(placeId);
  return run ? [[placeId, run]] : [];
}
