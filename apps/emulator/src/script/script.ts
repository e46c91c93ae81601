import type { RequestKind } from '../flight-recorder';
import type { ErrorName } from '../dialects/provider-error';
import type { RetryAfter } from './retry-after';

/** Which requests a rule is for. All that is given must hold; without `kind` or `path` calls only, no info. */
export interface Match {
  readonly kind?: RequestKind;
  readonly dialect?: string;
  /** The exact path, such as `/props`. */
  readonly path?: string;
  /** A mark in the prompt, such as `team:blue`. */
  readonly mark?: string;
  /** A text in the prompt. */
  readonly prompt_includes?: string;
  /** The how-manieth send of one call (the same body or audio) since the script was put, from 1. */
  readonly send?: number | readonly number[];
  /** The how-manieth request this rule has met, from 1. */
  readonly nth?: number | readonly number[];
  /** Every n-th request the rule has met, counted from `from`. */
  readonly every?: number;
  /** The first and the last request the rule has met that it may act on. */
  readonly from?: number;
  readonly until?: number;
  /** Acts that often at most. */
  readonly times?: number;
}

/** What is done to a request. At most one of error, body, no_result and stream_error; at most one of cut and hang. */
export interface Action {
  /** Waits so long before it answers, instead of the usual hold (which refusals do not have). */
  readonly delay_ms?: number;
  /** Waits until `POST /emulator/release`. */
  readonly hold?: boolean;
  /** Acts at the request's arrival, without reading its body: a proxy's refusal in mid-upload. */
  readonly before_body?: boolean;

  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly retry_after?: RetryAfter | readonly RetryAfter[];
  /** The answer's clock is off by so much: its `Date`, and the dates in `retry_after`. */
  readonly date_skew_ms?: number;

  /** An error in the dialect's own shape; `message` replaces its words. */
  readonly error?: ErrorName;
  readonly message?: string;
  /** Sent as it is: a string as text, anything else as JSON. */
  readonly body?: unknown;
  /** A 200 that is no result. */
  readonly no_result?: 'empty' | 'html' | 'truncated' | 'error_body';
  /** An error inside a 200 stream, after `after_frames` good frames (2). A call that does not stream gets it as a 200 body. */
  readonly stream_error?: ErrorName;
  readonly after_frames?: number;
  /** The text that is answered or heard, instead of the usual one. */
  readonly text?: string;
  /** False: no usage is reported. */
  readonly usage?: boolean;

  /** The body in pieces of so many bytes, so many ms apart, without Content-Length. */
  readonly trickle?: { readonly bytes: number; readonly every_ms: number };
  /** Breaks the connection with a reset. */
  readonly cut?: 'before_headers' | 'mid_body';
  /** Goes silent and keeps the connection until the client closes it. */
  readonly hang?: 'before_headers' | 'mid_body';
  /** Works on although the client has gone: keeps its inner slot until the call would have ended. */
  readonly ignore_close?: boolean;
}

export interface Rule {
  readonly match: Match;
  readonly action: Action;
}

export interface Script {
  readonly rules: readonly Rule[];
}

/** Every fault of a script at once, each with the place it is in. */
export class BadScriptError extends Error {
  constructor(readonly problems: readonly { readonly at: string; readonly problem: string }[]) {
    super(problems.map(({ at, problem }) => `${at} ${problem}`).join('; '));
    this.name = 'BadScriptError';
  }
}
