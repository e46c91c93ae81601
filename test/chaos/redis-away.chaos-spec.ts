import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import type { FlightEntry } from '../../apps/emulator/src';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { Product } from '../support/product';
import { RedisServer } from '../support/redis-server';
import { silentWav } from '../support/silent-wav';

jest.setTimeout(150_000);

const AWAY_MS = 30_000;
const LEASE_MS = 3_000;
const LIMIT = 2;
const CALLERS = 6;

interface QueueState {
  readonly degraded: boolean;
  readonly endpoints: readonly { kind: string; in_use: number | null; waiting: number | null }[];
}

interface Outage {
  readonly how: string;
  leave(server: RedisServer): Promise<void>;
  comeBack(server: RedisServer): Promise<void>;
}

/** Questions without a pause, as many as the callers can ask; each is one call to the LLM or a refusal. */
class Questions {
  readonly answeredAt: number[] = [];
  readonly statuses = new Map<number, number>();
  private isOver = false;
  private readonly callers: Promise<void>[];

  constructor(url: string, key: string, sessionId: string) {
    this.callers = Array.from({ length: CALLERS }, async () => {
      while (!this.isOver) {
        const { status } = await fetch(`${url}/api/sessions/${sessionId}/ask`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ question: 'Who fell?' }),
        });
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        if (status === 200) this.answeredAt.push(Date.now());
        else await sleep(20);
      }
    });
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.callers);
  }
}

/** Of the calls to the LLM that arrived after a moment: how many were in flight when one of them arrived, at most. */
function peakOfLaterCalls(entries: readonly FlightEntry[], after: number): number {
  const calls = entries
    .filter(({ kind }) => kind === 'llm')
    .map(
      ({ arrived_at, ended_at }) => [Date.parse(arrived_at), Date.parse(ended_at ?? '9999-01-01')] as const,
    );
  const later = calls.filter(([arrived]) => arrived > after);
  return Math.max(
    ...later.map(([at]) => calls.filter(([arrived, ended]) => arrived <= at && ended > at).length),
  );
}

describe('Redis away for 30 s under load', () => {
  it.each<Outage>([
    {
      how: 'stopped, back with the same data',
      leave: (server) => server.kill(),
      comeBack: (server) => server.startAgain(),
    },
    {
      how: 'stopped, back with nothing',
      leave: (server) => server.kill(),
      comeBack: (server) => server.startEmpty(),
    },
    {
      how: 'standing still, then working off what was sent',
      leave: async (server) => server.freeze(),
      comeBack: async (server) => server.thaw(),
    },
  ])(
    'P11 fail open: $how: calls go on under the local cap within 2 s, and then nobody is admitted above the limit and no ghost is left',
    async ({ leave, comeBack }) => {
      const server = await RedisServer.start();
      const product = await Product.start({
        redisUrl: server.url,
        env: {
          QB_ASR_CONCURRENCY_LIMIT: '1',
          QB_LLM_CONCURRENCY_LIMIT: String(LIMIT),
          QB_SLOT_LEASE_MS: String(LEASE_MS),
          QB_LOG_LEVEL: 'info',
          QB_RATE_LIMIT_PER_MINUTE: '1000000',
        },
        emulator: { holdMs: { asr: 50, llm: 100 } },
      });
      const api = await BuiltProcess.start('api', product.processEnv);
      const get = async (path: string): Promise<string> => {
        const answer = await fetch(api.url + path, {
          headers: { Authorization: `Bearer ${product.adminKey}` },
        });
        return answer.text();
      };
      const queue = async (): Promise<QueueState> =>
        JSON.parse(await get('/api/admin/ai/queue')) as QueueState;
      const ticketsOf = async (): Promise<unknown> =>
        product.get(DataSource).query('SELECT id, ticket FROM sessions WHERE ticket IS NOT NULL ORDER BY id');
      let questions: Questions | undefined;
      try {
        const campaignId = await product.createCampaign();
        const first = (await product.upload(campaignId)).body.id;
        await product.finished([first]);
        product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
        const ids: string[] = [];
        for (let i = 0; i < 4; i += 1) ids.push((await product.upload(campaignId, silentWav(i + 1))).body.id);
        await product.emulator.untilHeld(1);
        await eventually('three are parked', async () => {
          const asr = (await queue()).endpoints.find(({ kind }) => kind === 'asr');
          return asr?.waiting === 3 && ((await ticketsOf()) as unknown[]).length === 5;
        });
        const tickets = await ticketsOf();

        questions = new Questions(api.url, product.adminKey, first);
        const { answeredAt } = questions;
        await eventually('the load runs', () => answeredAt.length > 20);
        const linesBefore = api.output.split('\n').length;
        await leave(server);
        const goneAt = Date.now();
        await eventually('a call goes on', () => answeredAt.some((at) => at > goneAt + 100));
        expect(answeredAt.find((at) => at > goneAt + 100)! - goneAt).toBeLessThan(2_000);
        await eventually('the queue says so', async () => (await queue()).degraded);
        expect(await get('/metrics')).toMatch(/^slots_degraded(\{[^}]*\})? 1$/m);
        await sleep(goneAt + AWAY_MS - Date.now());
        expect(product.emulator.stats().llm.peak).toBe(LIMIT);
        const { output } = api;
        expect(output.split('Redis is away: slots are granted by this process alone')).toHaveLength(2);
        expect(output.split('\n').length - linesBefore).toBeLessThan(20);

        await comeBack(server);
        await eventually('the slots are shared again', async () => !(await queue()).degraded);
        await sleep(LEASE_MS / 3);
        const settledAt = Date.now();
        expect(await get('/metrics')).toMatch(/^slots_degraded(\{[^}]*\})? 0$/m);
        const answered = answeredAt.length;
        await eventually('calls go on', () => answeredAt.length > answered + 20);
        expect(peakOfLaterCalls(product.emulator.log().items, settledAt)).toBe(LIMIT);
        await questions.stop();
        product.emulator.release();
        const sessions = await product.finished(ids, 60_000);
        expect(sessions.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
        expect(await ticketsOf()).toEqual(tickets);
        expect(product.emulator.stats().asr).toMatchObject({ requests: 1 + ids.length });
        await product.drained();
      } finally {
        await questions?.stop();
        await api.kill();
        await product.stop();
        await server.close();
      }
    },
  );
});
