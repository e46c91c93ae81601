import { delay } from '@app/kernel';
import type { SessionDto } from '../../libs/sessions/src/http/session-answers.dto';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { Product, readSample } from '../support/product';
import { RedisProxy } from '../support/redis-proxy';
import { RedisServer } from '../support/redis-server';

jest.setTimeout(110_000);

/** Share of one core that a process without its stores may use; it has nothing to do but to look for them. */
const IDLE_SHARE = 0.15;
const WATCH_MS = 4_000;

/** Until then a worker has tried to store what it got. */
const TRIED_BY_MS = 1_500;

describe('a Postgres that goes away and comes back', () => {
  let product: Product;
  let line: RedisProxy;
  let processes: BuiltProcess[] = [];

  beforeAll(async () => {
    product = await Product.start({ processes: 'api', env: { QB_ASR_CONCURRENCY_LIMIT: '1' } });
    // It carries any TCP, also that of Postgres.
    line = await RedisProxy.start(product.env['DATABASE_URL']!);
    const env = { ...product.processEnv, DATABASE_URL: line.url };
    processes = await Promise.all([BuiltProcess.start('api', env), BuiltProcess.start('worker', env)]);
  });
  afterAll(async () => {
    for (const started of processes) await started.kill();
    await line.close();
    await product.stop();
  });

  function ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(processes[0]!.url + path, {
      headers: { Authorization: `Bearer ${product.adminKey}` },
      signal: AbortSignal.timeout(15_000),
      ...init,
    });
  }

  it('is told as 503 with Retry-After, costs no transcription that was paid for, and loses nothing', async () => {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const campaignId = await product.createCampaign();
    const running = await product.upload(campaignId);
    await product.emulator.untilHeld(1);
    const waiting = await product.upload(campaignId);
    await line.refuse();

    const form = new FormData();
    form.set('audio', new Blob([new Uint8Array(await readSample(0))]), 'recording.wav');
    const refusals = [
      await ask('/api/sessions'),
      await ask(`/api/sessions/${running.body.id}`),
      await ask(`/api/campaigns/${campaignId}/sessions`, { method: 'POST', body: form }),
    ];
    for (const refused of refusals) {
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ code: 'service_unavailable' });
    }
    expect((await ask('/health/live')).status).toBe(200);
    expect((await ask('/health/ready')).status).toBe(503);

    // The result comes while there is nowhere to put it.
    product.emulator.release();
    await product.emulator.until(({ asr }) => asr.in_flight === 0);
    await delay(TRIED_BY_MS);
    await line.pass();
    const sessions = await product.finished([running.body.id, waiting.body.id], 40_000);
    expect(sessions.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(product.emulator.stats().asr).toMatchObject({ requests: 2, peak: 1 });
    expect((await ask('/api/sessions')).status).toBe(200);
    expect((await product.usage()).map(({ status }) => status)).toEqual(['completed', 'completed']);
    await product.drained();
  });
});

describe('processes whose stores are gone', () => {
  it('burn no time, and go on when the stores are back', async () => {
    const server = await RedisServer.start();
    const product = await Product.start({ redisUrl: server.url, processes: 'api' });
    const line = await RedisProxy.start(product.env['DATABASE_URL']!);
    const env = { ...product.processEnv, DATABASE_URL: line.url };
    const processes = await Promise.all([BuiltProcess.start('api', env), BuiltProcess.start('worker', env)]);
    try {
      await server.kill();
      await line.refuse();
      const before = await Promise.all(processes.map((started) => started.cpuMs()));
      const since = performance.now();
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
      const after = await Promise.all(processes.map((started) => started.cpuMs()));
      const shares = after.map((ms, index) => (ms - before[index]!) / (performance.now() - since));
      expect(Math.max(...shares)).toBeLessThan(IDLE_SHARE);

      await Promise.all([server.startAgain(), line.pass()]);
      const { body } = await eventually('an upload is taken', async () => {
        const answer = await product.upload(await product.createCampaign());
        return answer.status === 202 && answer;
      });
      const [session] = await product.finished([(body as SessionDto).id], 40_000);
      expect(session).toMatchObject({ status: 'completed' });
    } finally {
      for (const started of processes) await started.kill();
      await line.close();
      await product.stop();
      await server.close();
    }
  });
});
