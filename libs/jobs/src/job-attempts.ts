import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { isDatabaseAway } from '@app/persistence';
import {
  LeaseLostError,
  PlaceConflictError,
  ProviderSlots,
  SlotParkedError,
  SlotsStoppedError,
} from '@app/provider-slots';
import { type JobScope, newJobScope, RequestScope } from '@app/request-scope';
import type { Job } from 'bull';
import { FreshTurns } from './fresh-turns';
import { JobCancelledError, PutBackError, WorkerLostError, WorkerStoppingError } from './job-errors';
import type { JobPayload } from './job-payload';
import { JobPriority, setJobPriority } from './job-priority';
import { ParkingBudget } from './parking-budget';
import { RunningJobs } from './running-jobs';

/** Tries of a run that failed in a way that another try may cure, the first one among them. */
export const FAILURE_ATTEMPTS = 3;

/** Deaths of its worker that one run survives. */
const MAX_WORKER_DEATHS = 5;

/** Pause before such another try, times the number of failures so far. */
const FAILURE_PAUSE_MS = 1_000;

/** Pause while Postgres is away. */
const AWAY_PAUSE_MS = 2_000;

/**
 * Runs one attempt of a job under its scope and decides what its end means:
 *
 *     returned, or cancelled            the job is done
 *     parked                            put back, while the budget lasts
 *     lease lost, worker stopping       put back: it is no fault of the job's
 *     held by a predecessor elsewhere   put back, once that one has lost its slots
 *     Postgres away                     put back, as often as it takes
 *     failed, and worth another try     put back, twice
 *     anything else                     the throw reaches the failure hook, which writes the end
 */
@Injectable()
export class JobAttempts {
  private readonly logger = new Logger(JobAttempts.name);

  constructor(
    private readonly scope: RequestScope,
    private readonly running: RunningJobs,
    private readonly budget: ParkingBudget,
    private readonly slots: ProviderSlots,
    private readonly turns: FreshTurns,
  ) {}

  /**
   * `work` says by `onGranted` that it got its first slot; again does no harm.
   * @throws PutBackError, or the error that ends the job.
   */
  async run(
    job: Job<JobPayload>,
    work: (signal: AbortSignal, onGranted: () => void) => Promise<void>,
  ): Promise<void> {
    const jobId = String(job.id);
    const scope = newJobScope(jobId, job.data.teamId, job.data.parkedSends);
    await this.running.track(jobId, (signal) =>
      this.scope.run(scope, async () => {
        let giveTurnBack = (): void => undefined;
        try {
          const { deaths, isWoken } = await this.read(job);
          if (deaths > MAX_WORKER_DEATHS) throw new WorkerLostError();
          if (!isWoken) giveTurnBack = await this.turns.take(signal);
          await work(signal, giveTurnBack);
        } catch (error) {
          const reason: unknown = signal.aborted ? signal.reason : error;
          await this.judge(job, scope, error instanceof SlotParkedError ? error : reason);
        } finally {
          giveTurnBack();
        }
      }),
    );
  }

  /** Bull counts the times a job was found without its worker; we write down that it was woken. */
  private async read(job: Job<JobPayload>): Promise<{ deaths: number; isWoken: boolean }> {
    const key = job.queue.toKey(String(job.id));
    const [deaths, priority] = await job.queue.client.hmget(key, 'stalledCounter', 'priority');
    return { deaths: Number(deaths ?? 0), isWoken: Number(priority ?? 0) === JobPriority.woken };
  }

  private async judge(job: Job<JobPayload>, scope: JobScope, error: unknown): Promise<void> {
    if (error instanceof JobCancelledError) return;
    if (error instanceof SlotParkedError) return this.park(job, scope, error);
    if (error instanceof WorkerStoppingError || error instanceof SlotsStoppedError) {
      throw new PutBackError(0, { cause: error });
    }
    if (error instanceof LeaseLostError) {
      // Its re-run owns the job by now; ending quietly leaves that one alone.
      this.logger.warn(`Job ${job.id} lost its lease to a re-run; its result is dropped`);
      throw new PutBackError(AWAY_PAUSE_MS, { cause: error });
    }
    if (error instanceof PlaceConflictError) {
      // Its worker died, and since then the provider has another address or the team other caps.
      this.logger.warn(`Job ${job.id} takes its place over from an attempt under other caps`);
      // Where Redis went away meanwhile, the next attempt does it.
      await this.slots.drop(error.placeId).catch(() => undefined);
      throw new PutBackError(0, { cause: error });
    }
    if (isDatabaseAway(error)) throw new PutBackError(AWAY_PAUSE_MS, { cause: error });
    const failures = (job.data.failures ?? 0) + 1;
    if (error instanceof AppError && error.retryable && failures < FAILURE_ATTEMPTS) {
      await job.update({ ...job.data, failures, parkedSends: scope.parkedSends });
      throw new PutBackError(failures * FAILURE_PAUSE_MS, { cause: error });
    }
    throw error;
  }

  private async park(
    job: Job<JobPayload>,
    { parkedSends }: JobScope,
    parked: SlotParkedError,
  ): Promise<never> {
    try {
      const parking = this.budget.charge(job.data.parking, parked.turnover, parked.blockedBy);
      await job.update({ ...job.data, parking, parkedSends });
    } catch (error) {
      await this.slots.leave(parked.placeId);
      throw error;
    }
    throw new PutBackError(this.budget.countdownMs(await this.parkedBeside(job)), { cause: parked });
  }

  /** How many jobs of its queue are parked already. A job that was woken before comes back as any other. */
  private async parkedBeside(job: Job<JobPayload>): Promise<number> {
    const [, parked] = await Promise.all([
      setJobPriority(job.queue, String(job.id), JobPriority.none),
      job.queue.client.zcard(job.queue.toKey('delayed')),
    ]);
    return parked;
  }
}
