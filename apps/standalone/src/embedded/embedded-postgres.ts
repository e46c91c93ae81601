import { join } from 'node:path';
import { Client } from 'pg';
import { StoreStartError } from './embedded-errors';
import { findFreePort } from './free-port';
import type { OrphanGuard } from './orphan-guard';
import { PostgresCluster, SUPERUSER, type ClusterOptions } from './postgres-cluster';
import { awaitReady } from './ready-check';
import { ServerProcess } from './server-process';

export interface EmbeddedPostgresOptions extends ClusterOptions {
  readonly guard: OrphanGuard;
}

const START_ATTEMPTS = 5;
const DATABASE = 'questline';

/** Small: one developer's machine, many connections of several processes, few of them busy. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  // No replica ever reads our log, and workers for disk reads do not pay at this size.
  wal_level: 'minimal',
  max_wal_senders: '0',
  io_method: 'sync',
};

/** Data that nobody misses after a crash of the machine need not wait for the disk. */
const UNSAFE_BUT_FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** A Postgres of ours, from the npm package, on a free port of the loopback interface. */
export class EmbeddedPostgres {
  private constructor(
    readonly port: number,
    private readonly cluster: PostgresCluster,
    private readonly server: ServerProcess,
    private readonly durable: boolean,
  ) {}

  /** @throws StoreStartError, EmbeddedStoresError */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const cluster = await PostgresCluster.prepare(options);
    cluster.removeMisleadingNote();
    for (let attempt = 1; ; attempt += 1) {
      const port = await findFreePort();
      const server = ServerProcess.start(describe(options, cluster, port), options.guard);
      const postgres = new EmbeddedPostgres(port, cluster, server, options.durable);
      try {
        await awaitReady('Postgres', server, () => postgres.whatIsMissing());
        await postgres.ensureDatabase();
        return postgres;
      } catch (error) {
        await server.stop('SIGQUIT');
        // Somebody may have taken the port between our look and the server's bind.
        const portTaken =
          error instanceof StoreStartError && error.logTail.includes('Address already in use');
        if (!portTaken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return this.urlOf(DATABASE);
  }

  get pid(): number {
    return this.server.pid!;
  }

  /** Settles once the server has ended, with how. */
  get exited(): Promise<string> {
    return this.server.exited;
  }

  /** Durable data is written out first; other data is left as it is. */
  async stop(): Promise<void> {
    await this.server.stop(this.durable ? 'SIGINT' : 'SIGQUIT');
  }

  private urlOf(database: string): string {
    return `postgres://${SUPERUSER}:${this.cluster.password}@127.0.0.1:${this.port}/${database}`;
  }

  private whatIsMissing(): Promise<string | undefined> {
    const note = this.cluster.readNote();
    if (note?.pid !== this.server.pid) return Promise.resolve('it has not taken its data folder yet');
    return Promise.resolve(note?.isReady === true ? undefined : 'it is still starting');
  }

  /** Also the proof that the port is ours: no other server knows the password. */
  private async ensureDatabase(): Promise<void> {
    const client = new Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    } finally {
      await client.end();
    }
  }
}

function describe(options: EmbeddedPostgresOptions, cluster: PostgresCluster, port: number) {
  const settings = { ...SETTINGS, port: String(port), ...(options.durable ? {} : UNSAFE_BUT_FAST) };
  return {
    name: 'Postgres',
    program: options.binaries.postgres,
    args: [
      '-D',
      cluster.dataFolder,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    logPath: join(options.folder, 'postgres.log'),
    user: options.user,
    stopSignal: 'INT',
  } as const;
}
