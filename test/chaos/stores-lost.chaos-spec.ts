import Redis from 'ioredis';
import { DataSource } from 'typeorm';
import type { SessionDto } from '../../libs/sessions/src/http/session-answers.dto';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { Product, readSample } from '../support/product';
import { RedisProxy } from '../support/redis-proxy';
import { RedisServer } from '../support/redis-server';
import { silentWav } from '../support/silent-wav';

jest.setTimeout(100_000);

const QUICK = {
  QB_ASR_CONCURRENCY_LIMIT: '1',
  QB_SLOT_LEASE_MS: '1500',
  QB_RECONCILE_INTERVAL_MS: '300',
};

/** What must be true in the end, however bad it was: all ended well, each ran once, each is billed once. */
async function expectEachRanOnce(product: Product, ids: readonly string[]): Promise<void> {
  const sessions = await product.finished(ids, 40_000);
  expect(sessions.map(({ status, error }) => error?.message ?? status)).toEqual(ids.map(() => 'completed'));
  const { asr, llm } = product.emulator.stats();
  expect({ asr: asr.requests, llm: llm.requests }).toEqual({ asr: ids.length, llm: ids.length });
  const usage = await product.usage();
  expect(usage.map(({ session_id }) => session_id).sort()).toEqual([...ids].sort());
  await product.drained();
}

describe('sessions and a Redis that loses everything', () => {
  it('run once each with their tickets: the one that was running and the five that were pending', async () => {
    const server = await RedisServer.start();
    const product = await Product.start({ redisUrl: server.url, env: QUICK });
    const redis = new Redis(server.url);
    try {
      product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
      const campaignId = await product.createCampaign();
      const ids = [(await product.upload(campaignId, silentWav(1))).body.id];
      await product.emulator.untilHeld(1);
      for (let index = 0; index < 5; index += 1) {
        ids.push((await product.upload(campaignId, silentWav(2 + index))).body.id);
      }
      const ticketsOf = async (): Promise<unknown> =>
        product.get(DataSource).query('SELECT id, ticket FROM sessions WHERE ticket IS NOT NULL ORDER BY id');
      await eventually('all five are parked', async () => {
        const asr = (await product.queue()).endpoints.find(({ kind }) => kind === 'asr');
        const { length } = (await ticketsOf()) as object[];
        return asr?.waiting === 5 && length === 6;
      });
      const tickets = await ticketsOf();
      await redis.flushall();
      // Until the holder tells of itself, within one renewal interval, the emptied Redis knows of a free slot: who
      // asks first may have run by then. Nobody is admitted above the cap after it.
      await eventually('the holder holds again, and who has not run meanwhile waits again', async () => {
        const asr = (await product.queue()).endpoints.find(({ kind }) => kind === 'asr');
        const finished = (await Promise.all(ids.map((id) => product.getSession(id)))).filter(
          ({ status }) => status === 'completed',
        ).length;
        return asr?.in_use === 1 && asr.waiting === 5 - finished;
      });
      expect(await ticketsOf()).toEqual(tickets);
      expect(product.emulator.stats().asr.in_flight).toBe(1);
      product.emulator.release();
      await expectEachRanOnce(product, ids);
    } finally {
      redis.disconnect();
      await product.stop();
      await server.close();
    }
  });
});

describe('an api that is cut off from Redis', () => {
  let product: Product;
  let proxy: RedisProxy;
  let api: BuiltProcess;
  let campaignId: string;

  beforeEach(async () => {
    product = await Product.start({ env: QUICK });
    proxy = await RedisProxy.start(product.env['REDIS_URL']!);
    api = await BuiltProcess.start('api', { ...product.processEnv, REDIS_URL: proxy.url });
    campaignId = await product.createCampaign();
  });
  afterEach(async () => {
    await api.kill();
    await proxy.close();
    await product.stop();
  });

  function upload(audio: Buffer): Promise<Response> {
    const form = new FormData();
    form.set('audio', new Blob([new Uint8Array(audio)]), 'recording.wav');
    return fetch(`${api.url}/api/campaigns/${campaignId}/sessions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${product.adminKey}` },
      body: form,
      signal: AbortSignal.timeout(10_000),
    });
  }

  async function sessionIds(): Promise<string[]> {
    const { body } = await product.call<{ items: SessionDto[] }>('/api/sessions');
    return body.items.map(({ id }) => id);
  }

  it.each([
    ['swallows all', () => proxy.blackhole()],
    ['is gone', () => proxy.refuse()],
  ])(
    'by a line that %s takes an upload within 5 s, answers all else, and the session runs once',
    async (_, breakLine) => {
      await breakLine();
      const postedAt = performance.now();
      const answer = await upload(await readSample(0));
      expect(answer.status).toBe(202);
      expect(performance.now() - postedAt).toBeLessThan(5_000);
      const { id } = (await answer.json()) as SessionDto;

      for (const path of [`/api/sessions/${id}`, '/api/sessions', '/api/admin/ai/queue', '/health/live']) {
        const askedAt = performance.now();
        const read = await fetch(api.url + path, {
          headers: { Authorization: `Bearer ${product.adminKey}` },
          signal: AbortSignal.timeout(10_000),
        });
        expect({ path, status: read.status }).toEqual({ path, status: 200 });
        expect(performance.now() - askedAt).toBeLessThan(5_000);
      }
      // The workers are not cut off: they need not wait for the api's line.
      await expectEachRanOnce(product, [id]);
      await proxy.pass();
      // What the line had swallowed arrives now, and is no second run.
      await eventually('the api is connected again', async () => {
        const ready = await fetch(`${api.url}/health/ready`);
        return ready.ok;
      });
      await expectEachRanOnce(product, [id]);
    },
  );

  it('and is killed between commit and enqueue loses nothing: the session runs once', async () => {
    await proxy.blackhole();
    const posting = upload(await readSample(0)).catch(() => undefined);
    const [id = ''] = await eventually('the row is committed', async () => {
      const ids = await sessionIds();
      return ids.length > 0 && ids;
    });
    await api.kill();
    // Nor does what it had sent arrive later.
    await proxy.refuse();
    await posting;
    await expectEachRanOnce(product, [id]);
  });
});
