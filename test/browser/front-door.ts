import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One address that stays, however often the product behind it goes and comes back on another port. */
export class FrontDoor {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly targetPort: () => number | undefined) {
    this.server = createServer((client) => this.pass(client));
  }

  /** @param targetPort undefined while nothing is there: the line is cut then */
  static async open(targetPort: () => number | undefined): Promise<FrontDoor> {
    const door = new FrontDoor(targetPort);
    door.server.listen(0, '127.0.0.1');
    await once(door.server, 'listening');
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts every line, as a process does that is killed. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, 'close');
  }

  private pass(client: Socket): void {
    const port = this.targetPort();
    if (port === undefined) return void client.destroy();
    const target = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
