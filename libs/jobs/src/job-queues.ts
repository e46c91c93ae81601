import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { QueueUnavailableError } from '@app/kernel';
import Bull, { type Job, type JobOptions, type Queue } from 'bull';
import { boundQueue } from './bound-queue';
import { type JobPayload, jobIdOf } from './job-payload';
import { GENERATION_QUEUE, type QueueRole, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from './queue-names';
import { queueOptions } from './queue-options';

/** Bull waits for ever while Redis is away; nobody who answers a request can. */
const QUEUE_TIMEOUT_MS = 2_000;

const OPTIONS: JobOptions = {
  // Parks are re-queues of Bull's, so its own attempts must never bound them: see ParkingBudget.
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'putBack' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 1,
};

/**
 * 1 for a whole job, 0 for none. A hash without a payload is in no list: something wrote a single field of a job
 * that Redis had lost, and nothing will ever run it.
 */
const DROP_REMNANT = `
  if redis.call('HEXISTS', KEYS[1], 'data') == 1 then return 1 end
  redis.call('DEL', KEYS[1])
  return 0`;

/** The queues, and the few things the product does with them. */
@Injectable()
export class JobQueues implements OnApplicationShutdown {
  private readonly opened = new Map<string, Queue<JobPayload>>();
  private readonly byRole: Readonly<Record<QueueRole, Queue<JobPayload>>>;

  constructor(
    @InjectQueue(TRANSCRIBE_QUEUE) transcribe: Queue<JobPayload>,
    @InjectQueue(SUMMARISE_QUEUE) summarise: Queue<JobPayload>,
    @InjectQueue(GENERATION_QUEUE) generations: Queue<JobPayload>,
    private readonly config: AppConfig,
  ) {
    this.byRole = { transcribe, summarise, generations };
    for (const queue of this.all()) boundQueue(queue);
  }

  get(role: QueueRole): Queue<JobPayload> {
    return this.byRole[role];
  }

  all(): Queue<JobPayload>[] {
    return [...Object.values(this.byRole), ...this.opened.values()];
  }

  /**
   * A queue by its name in Redis, also one that this process does not post to: another process may have
   * other settings, as while generations move to a queue of their own.
   */
  open(name: string): Queue<JobPayload> {
    const known = this.all().find((queue) => queue.name === name);
    if (known) return known;
    const queue = new Bull<JobPayload>(name, queueOptions(this.config));
    boundQueue(queue);
    this.opened.set(name, queue);
    return queue;
  }

  /** Those injected close themselves. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened.values()].map((queue) => queue.close()));
  }

  /**
   * Enqueues the job of a run; a job that exists already is left as it is. `queueName` where it is not the
   * one this process posts to.
   * @throws QueueUnavailableError when Redis does not answer within 2 s; the job may still appear later.
   */
  async enqueue(role: QueueRole, payload: JobPayload, queueName?: string): Promise<void> {
    const jobId = jobIdOf(payload.rowId, payload.run);
    await this.bounded(this.named(role, queueName).add(payload, { ...OPTIONS, jobId }));
  }

  /** @throws QueueUnavailableError */
  async find(role: QueueRole, jobId: string, queueName?: string): Promise<Job<JobPayload> | undefined> {
    return (await this.bounded(this.named(role, queueName).getJob(jobId))) ?? undefined;
  }

  /**
   * Takes a job out of its queue; one that is running stays until it ends by itself.
   * @returns whether there was one that could be taken out
   * @throws QueueUnavailableError
   */
  async remove(role: QueueRole, jobId: string, queueName?: string): Promise<boolean> {
    const job = await this.find(role, jobId, queueName);
    if (!job) return false;
    // Bull refuses to remove a job that a worker holds; the cancellation reaches that worker instead.
    return job.remove().then(
      () => true,
      () => false,
    );
  }

  /**
   * Of the given runs, those that have no job in their queue. The remnant of a job that Redis had lost is no
   * job: it is removed, since its key alone would keep the job from being added.
   * @throws QueueUnavailableError
   */
  async withoutJob<R extends { rowId: string; run: number; role: QueueRole; queueName?: string }>(
    runs: readonly R[],
  ): Promise<R[]> {
    if (runs.length === 0) return [];
    const pipeline = this.get(TRANSCRIBE_QUEUE).client.pipeline();
    for (const { rowId, run, role, queueName } of runs) {
      pipeline.eval(DROP_REMNANT, 1, this.named(role, queueName).toKey(jobIdOf(rowId, run)));
    }
    const replies = (await this.bounded(pipeline.exec())) ?? [];
    return runs.filter((_, index) => replies[index]?.[1] === 0);
  }

  /** Ids of all jobs of a queue that have not ended, page by page. @throws QueueUnavailableError */
  async *pagesOfJobIds(role: QueueRole, size: number): AsyncGenerator<string[]> {
    const queue = this.get(role);
    for (const list of ['wait', 'active', 'paused', 'delayed']) {
      const key = queue.toKey(list);
      for (let start = 0; ; start += size) {
        const stop = start + size - 1;
        const read =
          list === 'delayed' ? queue.client.zrange(key, start, stop) : queue.client.lrange(key, start, stop);
        const ids = await this.bounded(read);
        if (ids.length > 0) yield ids;
        if (ids.length < size) break;
      }
    }
  }

  private named(role: QueueRole, queueName: string | undefined): Queue<JobPayload> {
    return queueName === undefined ? this.get(role) : this.open(queueName);
  }

  private async bounded<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new QueueUnavailableError()), QUEUE_TIMEOUT_MS);
    });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, tooLate]);
    } catch (error) {
      throw error instanceof QueueUnavailableError ? error : new QueueUnavailableError({ cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
