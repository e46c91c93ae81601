import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from '../script/script';
import type { Answer } from './answer';

export type WireFaults = Pick<Action, 'trickle' | 'cut' | 'hang'>;

/** Long enough for what was written to reach the client: a reset overtakes bytes that are still on the way. */
const BEFORE_RESET_MS = 30;

/**
 * Puts an answer on the wire, whole or with a script's faults.
 *
 * @returns `'cut'` when half is written and the caller should break the line now
 * @throws the signal's reason when the client goes away first
 */
export async function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  faults: WireFaults,
  signal: AbortSignal,
): Promise<'ended' | 'cut'> {
  const body = Buffer.from(answer.frames.join(''));
  const breaks = faults.cut === 'mid_body' || faults.hang === 'mid_body';
  for (const [name, value] of Object.entries(answer.headers)) {
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  const bodiless = answer.status === 204 || answer.status === 304;
  if (!answer.streams && !faults.trickle && !bodiless) response.setHeader('Content-Length', body.length);
  response.writeHead(answer.status);
  if (bodiless) return end(response, signal);

  const pieces = faults.trickle
    ? cutEvery(body, faults.trickle.bytes)
    : answer.frames.map((frame) => Buffer.from(frame));
  const sent = breaks ? firstHalf(pieces) : pieces;
  // A body of nothing still has to show its headers before the line breaks.
  if (sent.length === 0) response.flushHeaders();
  for (const [index, piece] of sent.entries()) {
    if (faults.trickle && index > 0) await delay(faults.trickle.every_ms, undefined, { signal });
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
  if (faults.cut === 'mid_body') {
    await delay(BEFORE_RESET_MS, undefined, { signal });
    return 'cut';
  }
  if (faults.hang === 'mid_body') return untilClosed(signal);
  return end(response, signal);
}

/** Silence until the client closes, or the emulator stops. */
export async function untilClosed(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, 'abort');
  throw signal.reason;
}

async function end(response: ServerResponse, signal: AbortSignal): Promise<'ended'> {
  const finished = once(response, 'finish', { signal });
  response.end();
  await finished;
  return 'ended';
}

function cutEvery(body: Buffer, bytes: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += bytes) pieces.push(body.subarray(at, at + bytes));
  return pieces;
}

/** Half of the frames; of a single one, half of its bytes. */
function firstHalf(pieces: readonly Buffer[]): Buffer[] {
  const [only] = pieces;
  if (pieces.length === 1 && only) return [only.subarray(0, Math.floor(only.length / 2))];
  return pieces.slice(0, Math.ceil(pieces.length / 2));
}
