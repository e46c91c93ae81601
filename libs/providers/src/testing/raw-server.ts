import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A bare HTTP server for what no well-behaved server does. It records requests and closed connections. */
export class RawServer {
  readonly requests: SeenRequest[] = [];
  closedEarly = 0;
  private readonly waiters: Array<() => void> = [];

  private constructor(
    private readonly server: Server,
    private answer: Answer,
  ) {}

  static async start(answer: Answer): Promise<RawServer> {
    const server = createServer();
    const raw = new RawServer(server, answer);
    server.on('request', (request, response) => raw.onRequest(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return raw;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answerWith(answer: Answer): void {
    this.answer = answer;
  }

  /** Resolves once the condition holds; looked at after each request and each early close. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url = '', headers } = request;
      this.requests.push({ method, url, headers, body });
      this.answer(request, response, body);
      this.stir();
    });
    response.on('close', () => {
      if (!response.writableFinished) this.closedEarly += 1;
      this.stir();
    });
  }

  private stir(): void {
    for (const wake of this.waiters.splice(0)) wake();
  }
}

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string | string[]> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
