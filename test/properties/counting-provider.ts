import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CountedCall {
  readonly placeId: string;
  readonly group: string;
  readonly ticket: string;
  readonly leaseId: string;
}

/**
 * A fake provider that counts how many calls it has at once. It knows nothing of the semaphore: a call is over for
 * it before its answer leaves, so that it never counts a call too many.
 */
export class CountingProvider {
  readonly calls: CountedCall[] = [];
  peak = 0;
  readonly peakByGroup = new Map<string, number>();
  private readonly atOnce = new Map<string, number>();
  private current = 0;

  private constructor(
    private readonly server: Server,
    private readonly holdMs: number,
  ) {}

  static async start(holdMs: number): Promise<CountingProvider> {
    const server = createServer();
    const provider = new CountingProvider(server, holdMs);
    server.on('request', (request, response) => {
      void provider.serve(new URL(request.url ?? '/', 'http://localhost')).then(() => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve({ searchParams }: URL): Promise<void> {
    const call = Object.fromEntries(searchParams) as unknown as CountedCall;
    this.calls.push(call);
    const ofGroup = (this.atOnce.get(call.group) ?? 0) + 1;
    this.atOnce.set(call.group, ofGroup);
    this.peakByGroup.set(call.group, Math.max(ofGroup, this.peakByGroup.get(call.group) ?? 0));
    this.current += 1;
    this.peak = Math.max(this.peak, this.current);
    await sleep(this.holdMs);
    this.current -= 1;
    this.atOnce.set(call.group, this.atOnce.get(call.group)! - 1);
  }
}
