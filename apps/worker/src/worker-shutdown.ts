import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { delay } from '@app/kernel';
import { JobQueues, Reconciler, RunningJobs } from '@app/jobs';

/** A queue that cannot reach Redis takes no more jobs either. */
const PAUSE_MS = 2_000;

/**
 * On a stop: take no more jobs, let those that run finish within the grace, put the rest back. It must come before
 * the slots stop, which gives all leases back: a call that still runs would then be one above its cap. Nest
 * destroys modules before those they import, so in this hook it does.
 */
@Injectable()
export class WorkerShutdown implements OnModuleDestroy {
  constructor(
    private readonly queues: JobQueues,
    private readonly running: RunningJobs,
    private readonly reconciler: Reconciler,
  ) {}

  async onModuleDestroy(): Promise<void> {
    // Locally and without waiting for active jobs: those are the last line's business.
    const paused = this.queues.all().map((queue) => queue.pause(true, true).catch(() => undefined));
    await Promise.race([Promise.all([this.reconciler.stop(), ...paused]), delay(PAUSE_MS)]);
    await this.running.drain();
  }
}
