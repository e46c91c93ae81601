import { SseParser, type StreamEvent } from './sse-parser';

/** `live`: events arrive; `polling`: not now, another attempt follows; `refused`: this server streams nothing. */
export type StreamState = 'live' | 'polling' | 'refused';

export interface EventStreamOptions {
  readonly open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (state: StreamState) => void;
  /** For tests; 0 to 1. */
  readonly random?: () => number;
  readonly firstPauseMs?: number;
  /** A stream that is silent for longer than this, heartbeats included, is taken for dead. */
  readonly silenceMs?: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const SILENCE_MS = 45_000;

/** Statuses that another attempt would only repeat: no such route, or not for this key. */
const FINAL = new Set([401, 403, 404, 405, 406, 501]);

/**
 * Follows a stream of events with fetch, since EventSource cannot send a key. A cut line is opened again with
 * `Last-Event-ID`, after a pause that doubles up to 30 s; meanwhile, and for good where the server has no
 * such stream, the caller polls.
 * @returns what ends it
 */
export function followEvents(options: EventStreamOptions): () => void {
  const ended = new AbortController();
  void follow(options, ended.signal);
  return () => ended.abort();
}

async function follow(options: EventStreamOptions, ended: AbortSignal): Promise<void> {
  const { open, onEvent, onState, random = Math.random, firstPauseMs = FIRST_PAUSE_MS } = options;
  let lastId: string | undefined;
  let failures = 0;
  while (!ended.aborted) {
    let serverPauseMs: number | undefined;
    const attempt = new AbortController();
    const endAttempt = () => attempt.abort();
    ended.addEventListener('abort', endAttempt, { once: true });
    try {
      const response = await open(
        { Accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) },
        attempt.signal,
      );
      if (FINAL.has(response.status)) return onState('refused');
      const isStream = /^text\/event-stream/.test(response.headers.get('content-type') ?? '');
      if (response.ok && isStream && response.body) {
        onState('live');
        serverPauseMs = await read(response.body, attempt, options.silenceMs ?? SILENCE_MS, (event) => {
          failures = 0;
          lastId = event.id ?? lastId;
          if (!ended.aborted) onEvent(event);
        });
      } else if (response.ok) {
        return onState('refused');
      } else {
        serverPauseMs = Number(response.headers.get('retry-after') ?? 0) * 1_000 || undefined;
      }
    } catch {
      // A cut line; the pause below says what happens next.
    } finally {
      attempt.abort();
      ended.removeEventListener('abort', endAttempt);
    }
    if (ended.aborted) return;
    onState('polling');
    const backOffMs = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** failures) * (0.5 + random() / 2);
    failures += 1;
    await pause(Math.max(serverPauseMs ?? 0, backOffMs), ended);
  }
}

/** Reads to the stream's end. @returns the pause the server asked for, in milliseconds */
async function read(
  body: ReadableStream<Uint8Array>,
  attempt: AbortController,
  silenceMs: number,
  onEvent: (event: StreamEvent) => void,
): Promise<number | undefined> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const silence = setTimeout(() => attempt.abort(), silenceMs);
    const { value, done } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return parser.retryMs;
    for (const event of parser.push(decoder.decode(value, { stream: true }))) onEvent(event);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
