import type { EndpointState, QueueState } from '../api/client';
import { aboutHowLong, count, howLong } from './time-words';

/** The answer to "stuck, or just busy?". */
export interface QueueVerdict {
  readonly tone: 'calm' | 'busy' | 'paused' | 'stuck';
  readonly headline: string;
  readonly details: readonly string[];
}

/** How a queue looked at one moment; the page remembers these since it opened. */
export interface QueueMoment {
  readonly atMs: number;
  readonly endpoints: Readonly<Record<string, { readonly inUse: number; readonly waiting: number }>>;
}

/** A slot that is free while somebody waits is being handed over; for longer than this, nobody takes it. */
const HAND_OVER_MS = 10_000;

export const KIND_WORDS = { asr: 'Transcription', llm: 'Text model' } as const;

export function endpointKey({
  kind,
  provider,
  host,
}: Pick<EndpointState, 'kind' | 'provider' | 'host'>): string {
  return `${kind}:${provider}:${host}`;
}

/**
 * Tells stuck from busy by what can be seen: free slots beside people who wait are stuck; full slots are busy;
 * a closed gate is the provider's own wish.
 */
export function judgeQueue(
  queue: QueueState,
  history: readonly QueueMoment[],
  now = Date.now(),
): QueueVerdict {
  if (queue.degraded) {
    return {
      tone: 'stuck',
      headline: 'Redis is away.',
      details: [
        'Running work goes on, each process within a limit of its own. Waiting sessions continue by themselves when Redis is back.',
      ],
    };
  }
  const stuck = queue.endpoints.filter((endpoint) => isStuck(endpoint, history, now));
  if (stuck.length > 0) {
    return {
      tone: 'stuck',
      headline: 'This looks stuck.',
      details: stuck.map(
        (endpoint) =>
          `${KIND_WORDS[endpoint.kind]}: ${count(endpoint.waiting ?? 0, 'job')} waiting beside free slots. Is a worker running? Its /health/ready and its log say more.`,
      ),
    };
  }
  const paused = queue.endpoints.filter(({ gate }) => gate && Date.parse(gate.until) > now);
  const waiting = sumOf(queue, 'waiting');
  const inUse = sumOf(queue, 'in_use');
  const busy = queue.endpoints.filter((endpoint) => (endpoint.waiting ?? 0) > 0).map(wordBusy);
  if (paused.length > 0) {
    return {
      tone: 'paused',
      headline: 'Paused, not stuck.',
      details: [
        ...paused.map(({ kind, gate }) => {
          const left = (Date.parse(gate?.until ?? '') - now) / 1_000;
          return `${KIND_WORDS[kind]}: the provider asked us to pause (${(gate?.reason ?? '').replaceAll('_', ' ')}). It continues by itself in ${aboutHowLong(left)}.`;
        }),
        ...busy,
      ],
    };
  }
  if (waiting > 0) return { tone: 'busy', headline: 'Busy, not stuck.', details: busy };
  if (inUse > 0) {
    return {
      tone: 'calm',
      headline: 'Working, nobody waits.',
      details: [`${count(inUse, 'call')} running.`],
    };
  }
  return { tone: 'calm', headline: 'All quiet.', details: ['Nothing runs and nothing waits.'] };
}

function wordBusy(endpoint: EndpointState): string {
  const {
    kind,
    limit,
    in_use: inUse,
    waiting,
    oldest_wait_seconds: oldest,
    estimated_wait_seconds: next,
  } = endpoint;
  const slots =
    limit === null
      ? `${count(inUse ?? 0, 'call')} running`
      : `${inUse ?? 0} of ${count(limit, 'slot')} in use${(inUse ?? 0) > limit ? ' (draining to the lower limit)' : ''}`;
  const parts = [slots, `${waiting ?? 0} waiting`];
  if (oldest !== null) parts.push(`the oldest for ${howLong(oldest)}`);
  if (next !== null) parts.push(`one that joins now waits ${aboutHowLong(next)}`);
  return `${KIND_WORDS[kind]}: ${parts.join(', ')}.`;
}

/** Free slots and waiters at every look of the last ten seconds, and no gate that explains it. */
function isStuck(endpoint: EndpointState, history: readonly QueueMoment[], now: number): boolean {
  const { limit, gate } = endpoint;
  if (limit === null || (gate && Date.parse(gate.until) > now)) return false;
  const key = endpointKey(endpoint);
  const isIdleBesideWaiters = (inUse: number, waiting: number) => waiting > 0 && inUse < limit;
  if (!isIdleBesideWaiters(endpoint.in_use ?? 0, endpoint.waiting ?? 0)) return false;
  const lately = history.filter(({ atMs }) => atMs >= now - 2 * HAND_OVER_MS);
  const oldest = lately[0];
  if (!oldest || now - oldest.atMs < HAND_OVER_MS) return false;
  return lately.every(({ endpoints }) => {
    const then = endpoints[key];
    return then !== undefined && isIdleBesideWaiters(then.inUse, then.waiting);
  });
}

function sumOf(queue: QueueState, field: 'in_use' | 'waiting'): number {
  return queue.endpoints.reduce((sum, endpoint) => sum + (endpoint[field] ?? 0), 0);
}
