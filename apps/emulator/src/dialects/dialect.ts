import type { ErrorName, ProviderError } from './provider-error';

/** What any dialect can do: say no in its own way. */
export interface Dialect {
  readonly name: string;
  /** @param message what the error says; absent: the dialect's usual words */
  error(name: ErrorName, message?: string): ProviderError;
}

/** One chat call, read from whichever dialect it came in. */
export interface ChatCall {
  readonly model: string;
  /** All that the model would read: system text and messages. */
  readonly prompt: string;
  readonly stream: boolean;
  /** JSON schema the answer must satisfy; `true`: any JSON object. */
  readonly schema?: unknown;
  readonly maxTokens?: number;
  /** Anthropic: the tool whose input carries the structured answer. */
  readonly tool?: string;
  /** OpenAI reports usage in a stream only when asked to. */
  readonly streamsUsage?: boolean;
}

export interface ChatReply {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The token limit cut the text off. */
  readonly truncated: boolean;
  /** False: the server reports no usage, as some do. */
  readonly reportsUsage: boolean;
}

export interface ChatDialect extends Dialect {
  readonly streamType: string;
  /** @throws BadCallError */
  read(body: unknown): ChatCall;
  /** The whole answer in one JSON body. */
  whole(call: ChatCall, reply: ChatReply): unknown;
  /** The same answer as the frames of a stream, in order. */
  frames(call: ChatCall, reply: ChatReply): string[];
  /** An error that comes inside a stream whose status was 200. */
  errorFrame(name: ErrorName, message?: string): string;
}

export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  readonly text: string;
}

export interface Transcript {
  readonly language: string;
  readonly duration_seconds: number;
  readonly segments: readonly Segment[];
}

export interface TranscriptionDialect extends Dialect {
  /** @throws BadCallError for a format this dialect does not have */
  render(format: string, transcript: Transcript): { contentType: string; body: unknown };
}

/** `data:` frame of server-sent events, with an event name where the dialect has one. */
export function sseFrame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** A streamed text comes in a few pieces, cut at spaces, so that clients must put it together again. */
export function piecesOf(text: string, count = 4): string[] {
  const words = text.split(/(?<= )/);
  const size = Math.max(1, Math.ceil(words.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += size) pieces.push(words.slice(at, at + size).join(''));
  return pieces.filter((piece) => piece !== '');
}
