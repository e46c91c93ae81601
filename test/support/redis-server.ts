import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedRedis } from '../../apps/standalone/src/embedded/embedded-redis';
import { findFreePort } from '../../apps/standalone/src/embedded/free-port';
import { OrphanGuard } from '../../apps/standalone/src/embedded/orphan-guard';
import { prepareRedisBinary } from '../../apps/standalone/src/embedded/redis-binary';

/**
 * A Redis of one test's own, to stop, kill and start again under the same URL. The shared one must stay up for the
 * other test files.
 */
export class RedisServer {
  private redis: EmbeddedRedis | undefined;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly guard: OrphanGuard,
  ) {}

  static async start(): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'questline-redis-'));
    const server = new RedisServer(folder, await findFreePort(), OrphanGuard.start(folder));
    await server.startAgain();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts with all that it held before: every write it answered is in its append-only file. */
  async startAgain(): Promise<void> {
    this.redis = await EmbeddedRedis.start({
      program: prepareRedisBinary((line) => process.stderr.write(`${line}\n`)),
      folder: join(this.folder, 'data'),
      durable: true,
      guard: this.guard,
      port: this.port,
    });
  }

  /** Starts with nothing, as after the loss of its disk. */
  async startEmpty(): Promise<void> {
    rmSync(join(this.folder, 'data'), { recursive: true, force: true });
    await this.startAgain();
  }

  /** In good order; connections to it are closed. */
  async stop(): Promise<void> {
    await this.redis?.stop();
    this.redis = undefined;
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    await this.redis?.kill();
    this.redis = undefined;
  }

  /** Stands still with all its connections open, as on a machine that swaps; what is sent meanwhile is worked off later. */
  freeze(): void {
    process.kill(this.redis!.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.redis!.pid, 'SIGCONT');
  }

  /** Ends it for good and removes its data. */
  async close(): Promise<void> {
    await this.kill();
    await this.guard.dismiss();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
