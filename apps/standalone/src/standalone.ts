import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '@app/config';
import { runMigrations } from '@app/persistence';
import { configureApi } from '../../api/src/configure-api';
import { EmbeddedStores } from './embedded/embedded-stores';
import { EmulatedProviders } from './emulated-providers';
import { StandaloneModule } from './standalone.module';

type Env = Readonly<Record<string, string | undefined>>;

export interface StandaloneOptions {
  readonly env: Env;
  readonly adminKey: string;
  /** Absent: a temporary folder that goes with the run. */
  readonly dataFolder?: string;
  /** Environment of the emulator, where it stands in. */
  readonly emulatorEnv?: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}

/** The whole product in one process, with its own stores and, where no provider is configured, the emulator. */
export class Standalone {
  private constructor(
    readonly url: string,
    readonly emulatorUrl: string | undefined,
    readonly emulated: readonly ('asr' | 'llm')[],
    /** Resolves with what happened when a store of ours ended though nobody stopped it. */
    readonly crashed: Promise<string>,
    private readonly closers: ReadonlyArray<() => Promise<unknown>>,
  ) {}

  /** @throws Error whose message tells what to do; nothing is left running then. */
  static async start(options: StandaloneOptions): Promise<Standalone> {
    // Judged before anything is started; what we fill in ourselves cannot be wrong.
    const given = readConfig('standalone', options.env);
    const closers: Array<() => Promise<unknown>> = [];
    try {
      const stores = await EmbeddedStores.start({
        dataFolder: options.dataFolder,
        databaseUrl: given.DATABASE_URL,
        redisUrl: given.REDIS_URL,
        say: options.say,
      });
      closers.unshift(() => stores.stop());
      await runMigrations(stores.databaseUrl);

      const emulated = kindsWithoutAddress(given);
      const emulator =
        emulated.length > 0
          ? await EmulatedProviders.start(options.emulatorEnv, options.dataFolder)
          : undefined;
      if (emulator) closers.unshift(() => emulator.stop());

      const config = readConfig('standalone', {
        ...options.env,
        DATABASE_URL: stores.databaseUrl,
        REDIS_URL: stores.redisUrl,
        QB_ADMIN_API_KEY: options.adminKey,
        ...(emulated.includes('asr') ? { QB_ASR_BASE_URL: emulator?.url } : {}),
        ...(emulated.includes('llm') ? { QB_LLM_BASE_URL: emulator?.url } : {}),
      });
      const app = await NestFactory.create<NestExpressApplication>(
        StandaloneModule.forRoot({ config, emulated }),
        {
          bufferLogs: true,
          bodyParser: false,
        },
      );
      closers.unshift(() => app.close());
      configureApi(app);
      await app.listen(config.PORT, config.HOST);
      const { port } = app.getHttpServer().address() as AddressInfo;
      const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
      return new Standalone(`http://${host}:${port}`, emulator?.url, emulated, stores.crashed(), closers);
    } catch (error) {
      await closeAll(closers);
      throw error;
    }
  }

  /** The app first, then what it stands on. */
  async stop(): Promise<void> {
    await closeAll(this.closers);
  }
}

function kindsWithoutAddress(config: ReturnType<typeof readConfig>): Array<'asr' | 'llm'> {
  const kinds: Array<'asr' | 'llm'> = [];
  if (!config.QB_ASR_BASE_URL && config.QB_ASR_PROVIDER !== 'stub') kinds.push('asr');
  if (!config.QB_LLM_BASE_URL && config.QB_LLM_PROVIDER !== 'stub') kinds.push('llm');
  return kinds;
}

async function closeAll(closers: ReadonlyArray<() => Promise<unknown>>): Promise<void> {
  for (const close of closers) await close();
}
