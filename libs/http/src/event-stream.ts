import { createHash } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { TooManyRequestsError } from '@app/kernel';
import type { Request, Response } from 'express';

const HEARTBEAT_MS = 15_000;

/** More open streams than this and one process is better helped by a second one. */
const MOST_STREAMS = 2_000;
const RETRY_WHEN_FULL_MS = 10_000;

/** A proxy that collects the first kilobytes before it passes anything on gets them at once. */
const PROXY_FILLER = `:${' '.repeat(2_048)}\n\n`;

/** A client that reads this much slower than we write is cut off: it comes back and gets the latest state. */
const MOST_BUFFERED_BYTES = 256 * 1_024;

/** One open `text/event-stream` answer (WHATWG HTML, server-sent events). */
export class EventStream {
  /** Digest of what was last sent, by the event's name. */
  private readonly sent = new Map<string, string>();

  constructor(
    private readonly response: Response,
    /** What the client says it got last; empty for a new one. */
    lastEventId = '',
  ) {
    for (const known of lastEventId.split(',')) {
      const [event, digest] = known.split('=');
      if (event && digest) this.sent.set(event, digest);
    }
    response.status(200);
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache, no-transform');
    response.setHeader('X-Accel-Buffering', 'no');
    response.flushHeaders();
    response.write(PROXY_FILLER);
  }

  /**
   * Sends the whole state under a name, unless it was sent before. An id tells the digests of everything
   * sent so far, so a client that comes back with `Last-Event-ID` is not told again what it knows.
   */
  send(event: string, state: unknown): void {
    const data = JSON.stringify(state);
    const digest = createHash('sha1').update(data).digest('hex').slice(0, 16);
    if (this.sent.get(event) === digest) return;
    this.sent.set(event, digest);
    const id = [...this.sent].map(([name, known]) => `${name}=${known}`).join(',');
    this.write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`);
  }

  heartbeat(): void {
    this.write(': still here\n\n');
  }

  close(): void {
    this.response.end();
  }

  private write(text: string): void {
    if (this.response.writableLength > MOST_BUFFERED_BYTES) this.response.destroy();
    else if (!this.response.writableEnded) this.response.write(text);
  }
}

/** All streams of this process: bounded in number, kept alive, closed when the process stops. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly open = new Set<EventStream>();
  private readonly heartbeats = setInterval(() => {
    for (const stream of this.open) stream.heartbeat();
  }, HEARTBEAT_MS).unref();

  /**
   * Turns the answer into a stream; `onEnd` is called once, whoever ends it.
   * @throws TooManyRequestsError when this process has as many as it can serve.
   */
  start(request: Request, response: Response, onEnd: () => void): EventStream {
    if (this.open.size >= MOST_STREAMS) {
      throw new TooManyRequestsError('Too many event streams are open here', RETRY_WHEN_FULL_MS);
    }
    const stream = new EventStream(response, request.header('last-event-id'));
    this.open.add(stream);
    response.once('close', () => {
      this.open.delete(stream);
      onEnd();
    });
    return stream;
  }

  /** Before the HTTP server closes: it would else wait for streams that never end. */
  onModuleDestroy(): void {
    clearInterval(this.heartbeats);
    for (const stream of this.open) stream.close();
  }
}
