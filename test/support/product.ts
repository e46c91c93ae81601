import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '@app/config';
import { connectRedis } from '@app/redis';
import type { QueueStateDto } from '../../libs/admin/src/queue-state.dto';
import type { SessionDto } from '../../libs/sessions/src/http/session-answers.dto';
import type { UsagePageDto } from '@app/usage';
import { ApiModule } from '../../apps/api/src/api.module';
import { configureApi } from '../../apps/api/src/configure-api';
import { Emulator, type EmulatorSettings } from '../../apps/emulator/src';
import { StandaloneModule } from '../../apps/standalone/src/standalone.module';
import { eventually } from './eventually';
import { createPostgresDatabase, type PostgresDatabase } from './postgres-database';

export interface ProductOptions {
  /** Laid over the test's defaults: an ASR cap of 2, an LLM cap of 1, short countdowns. */
  readonly env?: Readonly<Record<string, string>>;
  readonly emulator?: Partial<EmulatorSettings>;
  /** Instead of the shared Redis, for tests that stop it. */
  readonly redisUrl?: string;
  /** `api`: nothing runs jobs in this process; a worker is started beside it. */
  readonly processes?: 'standalone' | 'api';
}

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Call {
  readonly method?: string;
  readonly json?: unknown;
  readonly body?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the admin key; `null` sends none. */
  readonly key?: string | null;
  readonly signal?: AbortSignal;
}

export const SAMPLES_FOLDER = join(__dirname, '../../samples');

/** The whole product in this process, on a database, a key prefix and an emulator of its own. */
export class Product {
  readonly adminKey = `admin_${randomBytes(12).toString('hex')}`;

  private constructor(
    readonly emulator: Emulator,
    readonly env: Readonly<Record<string, string>>,
    private readonly database: PostgresDatabase,
    private readonly folder: string,
    private readonly processes: 'standalone' | 'api',
  ) {}

  private app?: NestExpressApplication;

  static async start(options: ProductOptions = {}): Promise<Product> {
    const folder = await mkdtemp(join(tmpdir(), 'questline-test-'));
    const database = await createPostgresDatabase();
    const emulator = await new Emulator({ holdMs: { asr: 100, llm: 20 }, ...options.emulator }).start();
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: options.redisUrl ?? process.env['QB_TEST_REDIS_URL'] ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      QB_LOG_LEVEL: process.env['QB_TEST_LOG_LEVEL'] ?? 'silent',
      QB_REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
      QB_STORAGE_URL: `file:${folder}`,
      QB_ASR_BASE_URL: emulator.url,
      QB_LLM_BASE_URL: emulator.url,
      QB_ASR_CONCURRENCY_LIMIT: '2',
      QB_LLM_CONCURRENCY_LIMIT: '1',
      QB_REQUEUE_MIN_MS: '1000',
      QB_REQUEUE_MAX_MS: '2000',
      QB_RECONCILE_INTERVAL_MS: '1000',
      QB_SHUTDOWN_GRACE_MS: '1000',
      ...options.env,
    };
    const product = new Product(emulator, env, database, folder, options.processes ?? 'standalone');
    await product.boot();
    return product;
  }

  /** The environment that another process of this installation needs, such as a worker. */
  get processEnv(): Record<string, string> {
    return { ...this.env, QB_ADMIN_API_KEY: this.adminKey };
  }

  get url(): string {
    const { port } = this.nest.getHttpServer().address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get nest(): NestExpressApplication {
    if (!this.app) throw new Error('The product is not up');
    return this.app;
  }

  get<T>(type: Type<T> | (abstract new (...args: never[]) => T)): T {
    return this.nest.get(type, { strict: false });
  }

  async boot(): Promise<void> {
    const config = readConfig('standalone', this.processEnv);
    const root = this.processes === 'api' ? ApiModule : StandaloneModule;
    const app: INestApplication = await NestFactory.create<NestExpressApplication>(
      root.forRoot({ config, emulated: ['asr', 'llm'] }),
      { bufferLogs: true, bodyParser: false, abortOnError: false },
    );
    this.app = app as NestExpressApplication;
    configureApi(this.app);
    await this.app.listen(0, '127.0.0.1');
  }

  /** Closes the app alone; `boot` starts it again on the same data. */
  async shut(): Promise<void> {
    await this.app?.close();
    this.app = undefined;
  }

  /** Ends everything and removes all that it left. */
  async stop(): Promise<void> {
    await this.shut();
    await this.emulator.stop();
    await this.database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async call<T = Record<string, unknown>>(path: string, call: Call = {}): Promise<Answer<T>> {
    const key = call.key === undefined ? this.adminKey : call.key;
    const response = await fetch(this.url + path, {
      method: call.method ?? (call.json === undefined && call.body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(call.json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      body: call.json === undefined ? call.body : JSON.stringify(call.json),
      signal: call.signal,
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as T,
    };
  }

  async createCampaign(key?: string): Promise<string> {
    const { body } = await this.call<{ id: string }>('/api/campaigns', { json: { name: 'Friday' }, key });
    return body.id;
  }

  /** A new team with one key. */
  async createTeam(name: string): Promise<{ id: string; key: string }> {
    const team = await this.call<{ id: string }>('/api/admin/teams', { json: { name } });
    const issued = await this.call<{ key: string }>(`/api/admin/teams/${team.body.id}/keys`, {
      json: { name: 'test' },
    });
    return { id: team.body.id, key: issued.body.key };
  }

  async upload(campaignId: string, audio?: Buffer, call: Call = {}): Promise<Answer<SessionDto>> {
    const form = new FormData();
    const bytes = audio ?? (await readSample(0));
    form.set('audio', new Blob([new Uint8Array(bytes)]), 'recording.wav');
    return this.call<SessionDto>(`/api/campaigns/${campaignId}/sessions`, { body: form, ...call });
  }

  async getSession(id: string): Promise<SessionDto> {
    return (await this.call<SessionDto>(`/api/sessions/${id}`)).body;
  }

  /** Resolves with the sessions once each has ended, however. */
  async finished(ids: readonly string[], withinMs = 20_000): Promise<SessionDto[]> {
    return eventually(
      'every session has ended',
      async () => {
        const sessions = await Promise.all(ids.map((id) => this.getSession(id)));
        return sessions.every(({ finished_at }) => finished_at !== null) && sessions;
      },
      { withinMs },
    );
  }

  async queue(): Promise<QueueStateDto> {
    return (await this.call<QueueStateDto>('/api/admin/ai/queue')).body;
  }

  async usage(key?: string): Promise<UsagePageDto['items']> {
    return (await this.call<UsagePageDto>('/api/usage?limit=200', { key })).body.items;
  }

  /** Resolves once no lease and no waiter is left anywhere, and no job in any queue. */
  async drained(): Promise<void> {
    await eventually('nothing is left behind', async () => {
      const { endpoints, caps } = await this.queue();
      const counts = [...endpoints, ...caps].map(({ in_use, waiting }) => (in_use ?? 1) + (waiting ?? 1));
      return counts.every((count) => count === 0) && (await this.bullKeys('wait', 'active', 'delayed')) === 0;
    });
  }

  /** Jobs in the given lists of all queues. */
  private async bullKeys(...lists: string[]): Promise<number> {
    const redis = connectRedis(this.env['REDIS_URL'] ?? '', 'blocking', 'test');
    try {
      const counts = await Promise.all(
        ['transcribe', 'summarise', 'generations'].flatMap((queue) =>
          lists.map((list) => {
            const key = `${this.env['QB_REDIS_PREFIX']}:{bull}:${queue}:${list}`;
            return list === 'delayed' ? redis.zcard(key) : redis.llen(key);
          }),
        ),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    } finally {
      redis.disconnect();
    }
  }
}

/** One of the eight sample recordings, in the order of their names. */
export async function readSample(index: number): Promise<Buffer> {
  const names = (await readdir(SAMPLES_FOLDER)).filter((name) => name.endsWith('.wav')).sort();
  return readFile(join(SAMPLES_FOLDER, names[index] ?? ''));
}
