import 'reflect-metadata';
import { RequestScope } from '@app/request-scope';
import { ProviderSlots, type CapRequest, type Lease } from '@app/provider-slots';
import { connectRedis } from '@app/redis';
import Bull, { type Job } from 'bull';
import { PutBackError } from '../libs/jobs/src/job-errors';
import { wakeOf } from '../libs/jobs/src/job-payload';
import type { JobQueues } from '../libs/jobs/src/job-queues';
import { JobWaker } from '../libs/jobs/src/job-waker';

export interface HandOffOrder {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly waiter: 'in place' | 'job';
  readonly caps: readonly CapRequest[];
}

const QUEUE = 'transcribe';
/** Long before the end of the run; only a wake can be in time. */
const COUNTDOWN_MS = 30_000;

interface JobData {
  readonly rowId: string;
}

/** Waits for the place it is told of, says when it begins, and gives it back. */
async function main(order: HandOffOrder): Promise<void> {
  const queue = new Bull<JobData>(QUEUE, {
    prefix: `${order.prefix}:{bull}`,
    createClient: () => connectRedis(order.redisUrl, 'blocking', 'bench-bull'),
    settings: {
      backoffStrategies: { putBack: (_, error) => (error instanceof PutBackError ? error.countdownMs : -1) },
    },
  });
  const waker = new JobWaker({ open: () => queue } as unknown as JobQueues);
  const isJob = order.waiter === 'job';
  const slots = new ProviderSlots(
    { url: order.redisUrl, prefix: order.prefix, ...(isJob ? { onWake: (wake) => waker.wake(wake) } : {}) },
    new RequestScope(),
  );
  await slots.onModuleInit();

  const begin = async (lease: Lease): Promise<void> => {
    process.send?.(String(process.hrtime.bigint()));
    await lease.release();
  };
  const runJob = async ({ id, data }: Job<JobData>): Promise<void> => {
    const request = { placeId: data.rowId, group: 'b', caps: order.caps, wake: wakeOf(QUEUE, String(id)) };
    const answer = await slots.acquireOrPark(request);
    if (answer.outcome !== 'granted') throw new PutBackError(COUNTDOWN_MS);
    await begin(answer.lease);
  };
  if (isJob) void queue.process(8, runJob);

  // The first waiter opens the channel of offers; that is not part of a hand-off.
  await (await slots.acquire({ placeId: 'warm', group: 'b', caps: [{ name: 'warm', limit: 1 }] })).release();
  process.on('message', (placeId: string) => {
    if (placeId === 'end') return void stop();
    if (isJob) {
      const options = {
        attempts: 1_000,
        backoff: { type: 'putBack' },
        removeOnComplete: true,
        removeOnFail: true,
      };
      return void queue.add({ rowId: placeId }, options);
    }
    void slots.acquire({ placeId, group: 'b', caps: order.caps }).then(begin);
  });
  const stop = async (): Promise<void> => {
    await slots.onModuleDestroy();
    // Bull's connections would keep the process alive.
    process.exit(0);
  };
  process.send?.('ready');
}

main(JSON.parse(process.argv[2] ?? '{}') as HandOffOrder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
