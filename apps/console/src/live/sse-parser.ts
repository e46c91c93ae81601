/** One event of a stream. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads `text/event-stream` as it comes in pieces: a line, even a line's end, may be cut anywhere. */
export class SseParser {
  private rest = '';
  private type = '';
  private data: string[] = [];
  private id: string | undefined;

  /** What the server asked for with `retry:`, in milliseconds. */
  retryMs: number | undefined;

  push(piece: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const text = this.rest + piece;
    // A carriage return at the very end may be half of a line's end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + text.slice(whole.length);
    for (const line of lines) {
      const event = this.take(line);
      if (event) events.push(event);
    }
    return events;
  }

  private take(line: string): StreamEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.type = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  private dispatch(): StreamEvent | undefined {
    const { type, data, id } = this;
    this.type = '';
    this.data = [];
    if (data.length === 0) return undefined;
    return { type: type || 'message', data: data.join('\n'), id };
  }
}
