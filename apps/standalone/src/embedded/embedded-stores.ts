import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolderClaim } from './data-folder-claim';
import { EmbeddedPostgres } from './embedded-postgres';
import { EmbeddedRedis } from './embedded-redis';
import { OrphanGuard } from './orphan-guard';
import { PostgresBinaries } from './postgres-binaries';
import { prepareRedisBinary } from './redis-binary';
import { openDurableHome, openTemporaryHome, type StoresHome } from './stores-home';

export interface EmbeddedStoresOptions {
  /** Where the data outlives the run, e.g. `./.data`; absent: a temporary folder that goes with the run. */
  readonly dataFolder?: string;
  /** A Postgres of the operator's: used as it is, and none is started. */
  readonly databaseUrl?: string;
  /** A Redis of the operator's: used as it is, and none is started. */
  readonly redisUrl?: string;
  /** Told what a person should know: installs, and places other than expected. */
  readonly say?: Say;
}

type Say = (line: string) => void;

/**
 * Postgres and Redis for a machine that has neither, as our own child processes on free ports.
 *
 *     started by us  →  stopped by stop(), or by the guard when we are killed
 *     given by URL   →  used, never started, stopped, adopted or emptied
 */
export class EmbeddedStores {
  private postgres?: EmbeddedPostgres;
  private redis?: EmbeddedRedis;
  private stopping?: Promise<void>;

  private constructor(
    private readonly options: EmbeddedStoresOptions,
    /** Undefined when nothing is to be started. */
    private readonly workplace: Workplace | undefined,
  ) {}

  /** @throws EmbeddedStoresError whose message tells what to do; nothing is left running then */
  static async start(options: EmbeddedStoresOptions = {}): Promise<EmbeddedStores> {
    if (options.databaseUrl !== undefined && options.redisUrl !== undefined) {
      return new EmbeddedStores(options, undefined);
    }
    const say = options.say ?? (() => undefined);
    const workplace = await openWorkplace(options.dataFolder, say);
    const stores = new EmbeddedStores(options, workplace);
    try {
      // One after the other: Postgres refuses a folder in use by itself too, before Redis writes anything.
      if (options.databaseUrl === undefined) await stores.startPostgres(workplace, say);
      if (options.redisUrl === undefined) await stores.startRedis(workplace, say);
      return stores;
    } catch (error) {
      await stores.stop();
      throw error;
    }
  }

  get databaseUrl(): string {
    return this.options.databaseUrl ?? this.postgres!.url;
  }

  get redisUrl(): string {
    return this.options.redisUrl ?? this.redis!.url;
  }

  /** Pids of what was started, by name; empty for what was given. */
  get pids(): Readonly<Record<string, number>> {
    return {
      ...(this.postgres === undefined ? {} : { postgres: this.postgres.pid }),
      ...(this.redis === undefined ? {} : { redis: this.redis.pid }),
    };
  }

  /** Resolves, with what happened, when a server of ours ended though nobody stopped it; else never. */
  async crashed(): Promise<string> {
    const endings = Object.entries({ Postgres: this.postgres, Redis: this.redis }).map(
      async ([name, store]) =>
        store === undefined ? new Promise<never>(() => undefined) : `${name}: ${await store.exited}`,
    );
    const ending = await Promise.race(endings);
    return this.stopping === undefined ? ending : new Promise<never>(() => undefined);
  }

  /** Stops what was started and waits until it is gone. May be called again. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async startPostgres({ home, guard, claim }: Workplace, say: Say): Promise<void> {
    const { postgresFolder: folder, postgresUser: user, durable } = home;
    const binaries = PostgresBinaries.prepare(user, say);
    this.postgres = await EmbeddedPostgres.start({ binaries, folder, user, durable, guard });
    claim?.add('Postgres', this.postgres.pid);
  }

  private async startRedis({ home, guard, claim }: Workplace, say: Say): Promise<void> {
    const program = prepareRedisBinary(say);
    const folder = join(home.folder, 'redis');
    this.redis = await EmbeddedRedis.start({ program, folder, durable: home.durable, guard });
    claim?.add('Redis', this.redis.pid);
  }

  private async stopAll(): Promise<void> {
    await Promise.all([this.postgres?.stop(), this.redis?.stop()]);
    await this.workplace?.close();
  }
}

/** What a run needs besides the servers: a folder, the claim on it, and the guard. */
interface Workplace {
  readonly home: StoresHome;
  readonly guard: OrphanGuard;
  /** Only on data that outlives the run. */
  readonly claim: DataFolderClaim | undefined;
  close(): Promise<void>;
}

async function openWorkplace(dataFolder: string | undefined, say: Say): Promise<Workplace> {
  const home = dataFolder === undefined ? openTemporaryHome() : openDurableHome(dataFolder, say);
  const claim = home.durable ? await DataFolderClaim.take(home.folder) : undefined;
  const guard = OrphanGuard.start(home.durable ? undefined : home.folder);
  const close = async (): Promise<void> => {
    await guard.dismiss();
    claim?.release();
    if (!home.durable) rmSync(home.folder, { recursive: true, force: true });
  };
  return { home, guard, claim, close };
}
