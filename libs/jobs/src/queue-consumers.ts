import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import type { Job, Queue } from 'bull';
import { ConsumerBeats } from './consumer-beats';
import type { JobPayload } from './job-payload';
import { JobQueues } from './job-queues';
import { SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from './queue-names';
import { WorkerQueues } from './worker-queues';

const SESSION_QUEUES: readonly string[] = [TRANSCRIBE_QUEUE, SUMMARISE_QUEUE];

/** Starts what consumes queues in this process, and lets the installation know that they are consumed. */
@Injectable()
export class QueueConsumers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(QueueConsumers.name);
  private readonly consumed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly chosen: WorkerQueues,
    private readonly queues: JobQueues,
    private readonly beats: ConsumerBeats,
  ) {}

  /** Queues of generations that this process consumes: every chosen one that is not a session's. */
  generationQueues(): Queue<JobPayload>[] {
    const names = this.chosen.names ?? [this.config.QB_GENERATION_QUEUE];
    return names.filter((name) => !SESSION_QUEUES.includes(name)).map((name) => this.queues.open(name));
  }

  /** Runs each job of the queue, unless the queue is not among the chosen. */
  consume(queue: Queue<JobPayload>, work: (job: Job<JobPayload>) => Promise<void>): void {
    if (!this.chosen.includes(queue.name)) return;
    this.consumed.add(queue.name);
    queue.process(this.config.QB_WORKER_CONCURRENCY, work).catch((error: unknown) => {
      // A stop right after the start closes the connection under it, with no reason given.
      if (error !== undefined) this.logger.error(error);
    });
    this.beat();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.beat(), ConsumerBeats.EVERY_MS).unref();
    const own = this.config.QB_GENERATION_QUEUE;
    for (const name of this.chosen.names ?? []) {
      if (!SESSION_QUEUES.includes(name) && name !== own) {
        this.logger.warn(
          `--queues names "${name}", but QB_GENERATION_QUEUE here is "${own}": only what others post there, or left there, is run`,
        );
      }
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    this.beats.beat([...this.consumed]).catch(() => undefined);
  }
}
