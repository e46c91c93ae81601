import type { ChatCall, ChatDialect, Dialect, TranscriptionDialect } from '../dialects/dialect';
import { type ErrorName, errorNameOf, type ProviderError } from '../dialects/provider-error';
import type { UploadedAudio } from '../calls/audio-upload';
import { retryAfterHeaders } from '../script/retry-after';
import type { Action } from '../script/script';
import { type Answer, jsonAnswer, textAnswer } from './answer';
import { replyTo } from './chat-reply';
import type { TranscriptTable } from './transcript-table';

/** A call that has been read, with the dialect that answers it. */
export type ReadCall =
  | { readonly kind: 'llm'; readonly dialect: ChatDialect; readonly chat: ChatCall }
  | { readonly kind: 'asr'; readonly dialect: TranscriptionDialect; readonly audio: UploadedAudio };

const HTML = '<!doctype html><html><body><h1>Welcome</h1><p>This page is emulated.</p></body></html>';

/** Turns a read call and what a script wants of it into an answer. */
export class AnswerComposer {
  constructor(private readonly transcripts: TranscriptTable) {}

  /** @throws BadCallError when the call cannot be answered as it asks */
  usual(call: ReadCall, action: Action = {}): Answer {
    const answer = this.result(call, action);
    if (action.stream_error !== undefined) return this.brokenBy(action.stream_error, call, action, answer);
    switch (action.no_result) {
      case undefined:
        return answer;
      case 'empty':
        return { ...answer, frames: [], streams: false };
      case 'html':
        return textAnswer(200, HTML, 'text/html; charset=utf-8');
      case 'truncated': {
        const text = answer.frames.join('');
        return { ...answer, frames: [text.slice(0, Math.floor(text.length / 2))] };
      }
      case 'error_body':
        return jsonAnswer(200, call.dialect.error('server_error', action.message).body);
    }
  }

  /** An answer that needs no call: an error, a bare status or a body of the script's own; else undefined. */
  scripted(dialect: Dialect, action: Action): Answer | undefined {
    const { error, status } = action;
    if (error !== undefined) return errorAnswer(dialect.error(error, action.message), status);
    if ('body' in action) {
      return typeof action.body === 'string'
        ? textAnswer(status ?? 200, action.body)
        : jsonAnswer(status ?? 200, action.body);
    }
    return status !== undefined && status >= 300
      ? errorAnswer(dialect.error(errorNameOf(status)), status)
      : undefined;
  }

  /** Adds what a script wants in the head of any answer. */
  dressed(answer: Answer, action: Action, now = new Date()): Answer {
    const clock = new Date(now.getTime() + (action.date_skew_ms ?? 0));
    return {
      ...answer,
      status: action.status ?? answer.status,
      headers: {
        ...answer.headers,
        // Said by us, not by Node, so that dates in Retry-After count from the very same second.
        Date: clock.toUTCString(),
        ...(action.retry_after === undefined ? {} : retryAfterHeaders(action.retry_after, clock)),
        ...action.headers,
      },
    };
  }

  private result(call: ReadCall, action: Action): Answer {
    if (call.kind === 'asr') {
      const format = call.audio.fields['response_format'] ?? 'json';
      const transcript = this.transcripts.transcriptOf(call.audio, action.text);
      const { contentType, body } = call.dialect.render(format, transcript);
      return typeof body === 'string' ? textAnswer(200, body, contentType) : jsonAnswer(200, body);
    }
    const { chat, dialect } = call;
    const reply = replyTo(chat, action.text, action.usage ?? true);
    if (!chat.stream) return jsonAnswer(200, dialect.whole(chat, reply));
    const headers = { 'Content-Type': dialect.streamType, 'Cache-Control': 'no-cache' };
    return { status: 200, headers, frames: dialect.frames(chat, reply), streams: true };
  }

  private brokenBy(name: ErrorName, call: ReadCall, action: Action, answer: Answer): Answer {
    if (call.kind === 'asr' || !answer.streams) {
      return jsonAnswer(200, call.dialect.error(name, action.message).body);
    }
    const good = answer.frames.slice(0, action.after_frames ?? 2);
    return { ...answer, frames: [...good, call.dialect.errorFrame(name, action.message)] };
  }
}

function errorAnswer(error: ProviderError, status = error.status): Answer {
  return jsonAnswer(status, error.body);
}
