import type { EndpointState, QueueState } from '../api/client';
import { judgeQueue, type QueueMoment } from './queue-verdict';

const NOW = Date.parse('2026-12-01T20:00:00Z');
const KEY = 'asr:whisperx:gpu:9000';

function queueOf(state: Partial<EndpointState>, degraded = false): QueueState {
  const idle: EndpointState = {
    kind: 'asr',
    provider: 'whisperx',
    host: 'gpu:9000',
    limit: 2,
    limit_source: 'environment',
    in_use: 0,
    waiting: 0,
    estimated_wait_seconds: null,
    oldest_wait_seconds: null,
    gate: null,
  };
  return { generated_at: '', degraded, endpoints: [{ ...idle, ...state }], caps: [] };
}

function moments(secondsAgo: number[], inUse: number, waiting: number): QueueMoment[] {
  return secondsAgo.map((ago) => ({ atMs: NOW - ago * 1_000, endpoints: { [KEY]: { inUse, waiting } } }));
}

describe('judgeQueue', () => {
  it('calls full slots with a queue busy', () => {
    const verdict = judgeQueue(queueOf({ in_use: 2, waiting: 5, oldest_wait_seconds: 95 }), [], NOW);
    expect(verdict).toMatchObject({ tone: 'busy', headline: 'Busy, not stuck.' });
    expect(verdict.details[0]).toBe(
      'Transcription: 2 of 2 slots in use, 5 waiting, the oldest for 1 min 35 s.',
    );
  });

  it('calls free slots beside waiters stuck, once that has lasted', () => {
    const idle = queueOf({ in_use: 1, waiting: 3 });
    expect(judgeQueue(idle, moments([15, 10, 5, 0], 1, 3), NOW).tone).toBe('stuck');
    expect(judgeQueue(idle, moments([5, 0], 1, 3), NOW).tone).toBe('busy');
    const movedMeanwhile = [...moments([15, 10], 1, 3), ...moments([5], 2, 3), ...moments([0], 1, 3)];
    expect(judgeQueue(idle, movedMeanwhile, NOW).tone).toBe('busy');
  });

  it('explains a pause by the provider, also when slots are free', () => {
    const gate = { reason: 'rate_limited', until: new Date(NOW + 180_000).toISOString() };
    const verdict = judgeQueue(queueOf({ in_use: 0, waiting: 3, gate }), moments([15, 5, 0], 0, 3), NOW);
    expect(verdict.tone).toBe('paused');
    expect(verdict.details[0]).toMatch(/asked us to pause \(rate limited\).*in about 3 minutes/);
  });

  it('says when Redis is away, and when all is quiet', () => {
    expect(judgeQueue(queueOf({ in_use: null, waiting: null }, true), [], NOW).headline).toBe(
      'Redis is away.',
    );
    expect(judgeQueue(queueOf({}), [], NOW).tone).toBe('calm');
    expect(judgeQueue(queueOf({ in_use: 1 }), [], NOW).headline).toBe('Working, nobody waits.');
  });
});
