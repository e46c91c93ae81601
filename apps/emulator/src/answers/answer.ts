/** What goes back to the client, before it is put on the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body; a whole answer has one frame, a stream has several. */
  readonly frames: readonly string[];
  /** Sent as a stream: chunked, without Content-Length. */
  readonly streams: boolean;
}

export function jsonAnswer(status: number, body: unknown): Answer {
  return { ...textAnswer(status, JSON.stringify(body)), headers: { 'Content-Type': 'application/json' } };
}

export function textAnswer(status: number, body: string, contentType = 'text/plain; charset=utf-8'): Answer {
  return { status, headers: { 'Content-Type': contentType }, frames: [body], streams: false };
}
