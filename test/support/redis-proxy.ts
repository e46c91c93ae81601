import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What the line to Redis does: `slow` adds its latency each way. */
type Mode =
  { readonly name: 'pass' | 'refuse' | 'blackhole' } | { readonly name: 'slow'; readonly latencyMs: number };

/** One direction of one connection. `null` in the line stands for its end. */
class Relay {
  private readonly line: { readonly chunk: Buffer | null; readonly dueAt: number }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    from: Socket,
    private readonly to: Socket,
    private readonly mode: () => Mode,
  ) {
    from.on('data', (chunk) => this.take(chunk));
    from.once('close', () => this.take(null));
    from.on('error', () => undefined);
  }

  /** Sends on what is due; what is held back in a black hole goes out, in order, once the mode changes. */
  pump(): void {
    clearTimeout(this.timer);
    for (let next = this.line[0]; next !== undefined; next = this.line[0]) {
      if (this.mode().name === 'blackhole') return;
      const waitMs = next.dueAt - Date.now();
      if (waitMs > 0) {
        this.timer = setTimeout(() => this.pump(), waitMs);
        return;
      }
      this.line.shift();
      if (next.chunk === null) this.to.destroy();
      else this.to.write(next.chunk);
    }
  }

  private take(chunk: Buffer | null): void {
    const mode = this.mode();
    this.line.push({ chunk, dueAt: Date.now() + (mode.name === 'slow' ? mode.latencyMs : 0) });
    this.pump();
  }
}

/**
 * A TCP proxy before Redis that can make the line bad while both ends are well (the RP of the field cases).
 *
 *     pass        bytes go through
 *     slow        bytes go through later, each way
 *     blackhole   connections open and stay open, and nothing comes through: as with lost packets, what was sent
 *                 meanwhile arrives when the line is good again, also commands whose sender has given up on them
 *     refuse      no connection is accepted, and those that were open are closed
 *     cut         not a state: closes what is open, perhaps in the middle of a command, and accepts new ones
 */
export class RedisProxy {
  private mode: Mode = { name: 'pass' };
  private readonly sockets = new Set<Socket>();
  private readonly relays = new Set<Relay>();
  private server: Server | undefined;

  private constructor(
    private readonly target: URL,
    private port: number,
  ) {}

  static async start(redisUrl: string): Promise<RedisProxy> {
    const proxy = new RedisProxy(new URL(redisUrl), 0);
    await proxy.listen();
    return proxy;
  }

  /** Stays the same for the life of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Connections that clients have open here now. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  async pass(): Promise<void> {
    await this.enter({ name: 'pass' });
  }

  async slow(latencyMs: number): Promise<void> {
    await this.enter({ name: 'slow', latencyMs });
  }

  async blackhole(): Promise<void> {
    await this.enter({ name: 'blackhole' });
  }

  async refuse(): Promise<void> {
    await this.enter({ name: 'refuse' });
  }

  cut(): void {
    // Not resetAndDestroy(): on a socket that is just shutting down, Node 20 then spins for ever at its exit.
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends the proxy; its port answers no more. */
  async close(): Promise<void> {
    await this.enter({ name: 'refuse' });
  }

  private async enter(mode: Mode): Promise<void> {
    this.mode = mode;
    if (mode.name === 'refuse') {
      const { server } = this;
      this.server = undefined;
      const closed = server === undefined ? undefined : once(server, 'close');
      server?.close();
      this.cut();
      await closed;
      return;
    }
    if (this.server === undefined) await this.listen();
    for (const relay of this.relays) relay.pump();
  }

  private async listen(): Promise<void> {
    this.server = createServer((client) => this.join(client));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private join(client: Socket): void {
    const upstream = connect(Number(this.target.port || 6379), this.target.hostname);
    const relays = [
      new Relay(client, upstream, () => this.mode),
      new Relay(upstream, client, () => this.mode),
    ];
    for (const relay of relays) this.relays.add(relay);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        if (!this.sockets.has(client) && !this.sockets.has(upstream)) {
          for (const relay of relays) this.relays.delete(relay);
        }
      });
    }
  }
}
