import Redis from 'ioredis';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreStartError } from './embedded-errors';
import { findFreePort } from './free-port';
import type { OrphanGuard } from './orphan-guard';
import { awaitReady } from './ready-check';
import { ServerProcess } from './server-process';

export interface EmbeddedRedisOptions {
  readonly program: string;
  /** Holds the data and the log; made when missing. */
  readonly folder: string;
  /** Durable data is written to an append-only file and found again at the next start; else nothing is kept. */
  readonly durable: boolean;
  readonly guard: OrphanGuard;
  /** Absent: a free one. */
  readonly port?: number;
}

const START_ATTEMPTS = 5;
const CHECK_TIMEOUT_MS = 1_000;

/** A Redis of ours. Never one that was there already: a server that answers may be somebody else's. */
export class EmbeddedRedis {
  private constructor(
    readonly port: number,
    private readonly server: ServerProcess,
  ) {}

  /** @throws StoreStartError */
  static async start(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    for (let attempt = 1; ; attempt += 1) {
      const port = options.port ?? (await findFreePort());
      const server = ServerProcess.start(describe(options, port), options.guard);
      try {
        await awaitReady('Redis', server, () => whatIsMissing(server, port));
        return new EmbeddedRedis(port, server);
      } catch (error) {
        await server.stop('SIGKILL');
        // Somebody may have taken the port between our look and the server's bind.
        const portTaken =
          error instanceof StoreStartError && error.logTail.includes('Address already in use');
        if (!portTaken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.server.pid!;
  }

  /** Settles once the server has ended, with how. */
  get exited(): Promise<string> {
    return this.server.exited;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    await this.server.stop('SIGKILL');
  }
}

function describe({ program, folder, durable }: EmbeddedRedisOptions, port: number) {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '',
    appendonly: durable ? 'yes' : 'no',
    // Bull and the slots lose jobs and leases when Redis evicts keys of its own accord.
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  return {
    name: 'Redis',
    program,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    logPath: join(folder, 'redis.log'),
    stopSignal: 'TERM',
  } as const;
}

/** Undefined once the answering server is our child and has read its data. */
async function whatIsMissing(server: ServerProcess, port: number): Promise<string | undefined> {
  const redis = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: CHECK_TIMEOUT_MS,
    commandTimeout: CHECK_TIMEOUT_MS,
    // After a refused connection ioredis keeps the process alive for so long.
    disconnectTimeout: 50,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const info = await redis.info('everything');
    if (readField(info, 'process_id') !== String(server.pid)) return 'another server answers on its port';
    return readField(info, 'loading') === '0' ? undefined : 'it is still reading its data';
  } finally {
    redis.disconnect();
  }
}

function readField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
