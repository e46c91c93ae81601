import { randomBytes } from 'node:crypto';
import { AppConfig } from '@app/config';
import Bull, { type Queue } from 'bull';
import type { JobPayload } from './job-payload';
import type { JobQueues } from './job-queues';
import { JobWaker } from './job-waker';
import { queueOptions } from './queue-options';

const FAR_MS = 60_000;

describe('the waker of parked jobs', () => {
  let queue: Queue<JobPayload>;
  let waker: JobWaker;

  beforeEach(async () => {
    const config = Object.assign(new AppConfig(), {
      REDIS_URL: process.env['QB_TEST_REDIS_URL'],
      QB_REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    });
    queue = new Bull<JobPayload>('parked', queueOptions(config));
    waker = new JobWaker({ open: () => queue } as unknown as JobQueues);
    await queue.isReady();
  });
  afterEach(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
  });

  async function add(jobId: string, delay = 0): Promise<void> {
    await queue.add({ rowId: jobId, teamId: 't', run: 1, enqueuedAt: 0 }, { jobId, delay });
  }

  async function nextToRun(): Promise<string | undefined> {
    return (await queue.client.lindex(queue.toKey('wait'), -1)) ?? undefined;
  }

  it('puts a woken job before fresh ones and before those that only try once more', async () => {
    for (const jobId of ['parked', 'trying']) await add(jobId, FAR_MS);
    for (const jobId of ['fresh-1', 'fresh-2']) await add(jobId);
    await (await queue.getJob('trying'))?.promote();
    expect(await nextToRun()).toBe('fresh-1');

    expect(await waker.wake('parked/parked')).toBe('woken');
    expect(await nextToRun()).toBe('parked');
    expect(await waker.wake('parked/parked')).toBe('woken');
  });

  it('says that a job is gone, and makes nothing in its place', async () => {
    expect(await waker.wake('parked/nobody')).toBe('gone');
    expect(await waker.wake('no wake of ours')).toBe('gone');
    await add('going', FAR_MS);
    const job = await queue.getJob('going');
    await job?.remove();
    jest.spyOn(queue, 'getJob').mockResolvedValue(job);
    await waker.wake('parked/going');
    expect(await queue.client.exists(queue.toKey('going'))).toBe(0);
  });
});
