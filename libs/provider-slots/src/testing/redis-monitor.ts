import { connect, type Socket } from 'node:net';

/**
 * Everything a Redis is asked from now on, by whomever. On a socket of its own: a client library takes the first
 * lines that a busy server sends for the answer to its MONITOR.
 */
export class RedisMonitor {
  readonly commands: string[][] = [];
  private rest = '';
  private onLine: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => this.read(text));
  }

  static async start(url: string): Promise<RedisMonitor> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const monitor = new RedisMonitor(socket);
    const ready = new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      monitor.onLine = resolve;
    });
    socket.write('MONITOR\r\n');
    await ready;
    return monitor;
  }

  /** Resolves once such a command was seen. */
  async until(isIt: (command: readonly string[]) => boolean): Promise<void> {
    while (!this.commands.some(isIt)) await new Promise<void>((resolve) => (this.onLine = resolve));
  }

  close(): void {
    this.socket.destroy();
  }

  private read(text: string): void {
    const lines = (this.rest + text).split('\r\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('+OK')) continue;
      this.commands.push([...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word!));
    }
    if (lines.length > 0) this.onLine();
  }
}
