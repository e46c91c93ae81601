import { randomBytes } from 'node:crypto';
import { AppConfig } from '@app/config';
import Bull from 'bull';
import type { JobPayload } from './job-payload';
import { JobQueues } from './job-queues';
import { GENERATION_QUEUE, type QueueRole, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE } from './queue-names';
import { queueOptions } from './queue-options';

describe('JobQueues', () => {
  function setup() {
    const config = Object.assign(new AppConfig(), {
      REDIS_URL: process.env['QB_TEST_REDIS_URL'],
      QB_REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    });
    const open = (name: string) => new Bull<JobPayload>(name, queueOptions(config));
    const own = [TRANSCRIBE_QUEUE, SUMMARISE_QUEUE, GENERATION_QUEUE].map(open);
    const [transcribe, summarise, generations] = own;
    if (!transcribe || !summarise || !generations) throw new Error('three queues');
    const queues = new JobQueues(transcribe, summarise, generations, config);
    const close = async () => {
      await queues.onApplicationShutdown();
      await Promise.all(own.map((queue) => queue.close()));
    };
    return { queues, generations, close };
  }

  const role: QueueRole = GENERATION_QUEUE;
  const run = (rowId: string) => ({ rowId, run: 1, role, teamId: 't', enqueuedAt: 0 });

  it('tells which runs have no job, and does not take the remnant of one for it', async () => {
    const { queues, generations, close } = setup();
    try {
      await queues.enqueue(GENERATION_QUEUE, run('whole'));
      // A field written late, after the job was lost with everything else.
      await generations.client.hmset(generations.toKey('remnant.1'), { priority: 1 });
      const missing = await queues.withoutJob([run('whole'), run('remnant'), run('lost')]);
      expect(missing.map(({ rowId }) => rowId)).toEqual(['remnant', 'lost']);

      await queues.enqueue(GENERATION_QUEUE, run('remnant'));
      expect(await queues.withoutJob([run('remnant')])).toEqual([]);
      expect(await generations.getWaitingCount()).toBe(2);
    } finally {
      await close();
    }
  });

  it('reaches a queue that other processes post to', async () => {
    const { queues, generations, close } = setup();
    try {
      await queues.enqueue(GENERATION_QUEUE, run('elsewhere'), 'generations-old');
      expect(await generations.getWaitingCount()).toBe(0);
      expect(queues.open(GENERATION_QUEUE)).toBe(generations);
      const there = { ...run('elsewhere'), queueName: 'generations-old' };
      expect(await queues.withoutJob([there, run('elsewhere')])).toEqual([run('elsewhere')]);
      expect(await queues.remove(GENERATION_QUEUE, 'elsewhere.1', 'generations-old')).toBe(true);
      expect(await queues.withoutJob([there])).toEqual([there]);
    } finally {
      await close();
    }
  });
});
