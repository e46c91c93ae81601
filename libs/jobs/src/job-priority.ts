import type { Queue } from 'bull';

/** A job that has gone meanwhile must stay gone: a hash with nothing but a priority would pass for it. */
const SET_PRIORITY = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'priority', ARGV[1]) end`;

/** Bull's numbers: 1 goes before all, 0 is "none" and goes last. */
export const JobPriority = {
  /** It has a slot to claim: before fresh jobs, and before those that only try in vain once more. */
  woken: 1,
  none: 0,
} as const;

/** Sets the priority with which a job comes back to its queue's waiting list. @throws when Redis is away */
export async function setJobPriority(queue: Queue, jobId: string, priority: number): Promise<void> {
  await queue.client.eval(SET_PRIORITY, 1, queue.toKey(jobId), priority);
}
