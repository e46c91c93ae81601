import { TRANSCRIBE_QUEUE, JobQueues } from '@app/jobs';
import { DataSource } from 'typeorm';
import { eventually } from '../support/eventually';
import { Product, type ProductOptions } from '../support/product';
import { silentWav } from '../support/silent-wav';

jest.setTimeout(100_000);

const QUICK_TRIES = { QB_REQUEUE_MIN_MS: '100', QB_REQUEUE_MAX_MS: '150' };
const GONE_WITHIN_MS = 2_000;

describe('failures that people had with systems like this one', () => {
  const products: Product[] = [];

  async function start(options: ProductOptions = {}): Promise<Product> {
    const product = await Product.start(options);
    products.push(product);
    return product;
  }

  afterEach(async () => {
    for (const product of products.splice(0)) await product.stop();
  });

  it('FC-15: tries for a full cap use up none of the tries after a failure, and end no job', async () => {
    const product = await start({ env: { QB_ASR_CONCURRENCY_LIMIT: '1', ...QUICK_TRIES } });
    product.emulator.script([
      { match: { kind: 'asr', nth: 1 }, action: { hold: true } },
      { match: { kind: 'asr', nth: [2, 3] }, action: { error: 'server_error' } },
    ]);
    const campaignId = await product.createCampaign();
    const holder = await product.upload(campaignId, silentWav(1));
    await product.emulator.untilHeld(1);
    const { body } = await product.upload(campaignId, silentWav(2));
    await eventually('it was put back eight times', async () => {
      const { status, retry_count } = await product.getSession(body.id);
      return status === 'queued' && retry_count >= 8;
    });
    const { completed, failed } = await product.get(JobQueues).get(TRANSCRIBE_QUEUE).getJobCounts();
    expect({ completed, failed }).toEqual({ completed: 0, failed: 0 });
    product.emulator.release();
    const sessions = await product.finished([holder.body.id, body.id]);
    expect(sessions.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(product.emulator.stats().asr.requests).toBe(4);
    await product.drained();
  });

  it.each([
    ['a third time', 'failed', 3],
    ['twice', 'completed', 2],
  ])('FC-15: an ASR that breaks %s in a row: the session is then %s', async (_, status, times) => {
    const product = await start();
    product.emulator.script([{ match: { kind: 'asr', times }, action: { error: 'server_error' } }]);
    const { body } = await product.upload(await product.createCampaign());
    const [session] = await product.finished([body.id]);
    expect(session).toMatchObject({
      status,
      error: status === 'failed' ? { code: 'provider_failed' } : null,
    });
    await product.drained();
  });

  it('FC-17: a question whose asker goes, or whose LLM breaks, leaks no slot, five times over', async () => {
    const product = await start({ env: { QB_LLM_CONCURRENCY_LIMIT: '2', QB_LLM_TIMEOUT_MS: '400' } });
    const { body } = await product.upload(await product.createCampaign());
    await product.finished([body.id]);
    const ask = (signal?: AbortSignal) =>
      product.call(`/api/sessions/${body.id}/ask`, { json: { question: 'Who fell?' }, signal });
    const noneHeld = () =>
      eventually(
        'no slot is held',
        async () => {
          const llm = (await product.queue()).endpoints.find(({ kind }) => kind === 'llm');
          return llm?.in_use === 0 && llm.waiting === 0;
        },
        { withinMs: GONE_WITHIN_MS },
      );
    for (let round = 0; round < 5; round += 1) {
      product.emulator.script([{ match: { kind: 'llm' }, action: { hold: true } }]);
      const gone = new AbortController();
      const asking = ask(gone.signal).catch(() => undefined);
      await product.emulator.untilHeld(1);
      gone.abort();
      await asking;
      await noneHeld();
      for (const action of [
        { cut: 'mid_body' },
        { hang: 'before_headers' },
        { hang: 'mid_body' },
        { status: 404 },
        { no_result: 'html' },
      ] as const) {
        product.emulator.script([{ match: { kind: 'llm' }, action }]);
        expect((await ask()).status).toBeGreaterThanOrEqual(500);
        await noneHeld();
      }
    }
    product.emulator.reset();
    expect((await ask()).status).toBe(200);
  });

  it('FC-23: a call longer than our limit is closed, its slot free, and a late answer changes nothing', async () => {
    const product = await start({ env: { QB_ASR_TIMEOUT_MS: '300' } });
    product.emulator.script([{ match: { kind: 'asr' }, action: { delay_ms: 3_000, ignore_close: true } }]);
    const { body } = await product.upload(await product.createCampaign());
    const [session] = await product.finished([body.id]);
    expect(session).toMatchObject({ status: 'failed', error: { code: 'provider_timeout' } });
    await product.emulator.until(
      () =>
        product.emulator
          .log()
          .items.filter(({ kind }) => kind === 'asr')
          .every(({ outcome }) => outcome === 'closed_early'),
      GONE_WITHIN_MS,
    );
    await product.drained();
    expect(await product.usage()).toMatchObject([{ status: 'failed', audio_seconds: 0, cost_micros: 0 }]);
    expect((await product.call(`/api/sessions/${body.id}/transcript`)).status).toBe(404);
  });

  it('FC-31: commits that take a second, and one that is rolled back: each committed one runs, no ghost does', async () => {
    const product = await start({
      env: {
        QB_ASR_CONCURRENCY_LIMIT: '8',
        QB_LLM_CONCURRENCY_LIMIT: '8',
        // It would mend what this is about.
        QB_RECONCILE_INTERVAL_MS: '600000',
      },
    });
    await product.get(DataSource).query(`
      CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(1);
        IF NEW.title = 'never' THEN RAISE EXCEPTION 'rolled back'; END IF;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON sessions DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION commit_slowly()`);
    const campaignId = await product.createCampaign();
    const doomed = new FormData();
    doomed.set('audio', new Blob([new Uint8Array(silentWav(1))]), 'recording.wav');
    doomed.set('title', 'never');
    const [refused, ...uploads] = await Promise.all([
      product.call(`/api/campaigns/${campaignId}/sessions`, { body: doomed }),
      ...Array.from({ length: 12 }, (_, index) => product.upload(campaignId, silentWav(2 + index / 10))),
    ]);
    expect(refused.status).toBe(500);
    expect(uploads.map(({ status }) => status)).toEqual(Array(12).fill(202));
    const sessions = await product.finished(
      uploads.map(({ body }) => body.id),
      40_000,
    );
    expect(sessions.map(({ status, retry_count }) => ({ status, retry_count }))).toEqual(
      Array(12).fill({ status: 'completed', retry_count: expect.any(Number) }),
    );
    expect(product.emulator.stats().asr.requests).toBe(12);
    expect(await product.usage()).toHaveLength(12);
    await product.drained();
  });

  it.each([
    [5, 'completed'],
    [6, 'failed'],
  ])('FC-33: a run whose worker died %i times is %s, and a retry works', async (deaths, status) => {
    const product = await start({ env: { QB_ASR_CONCURRENCY_LIMIT: '1' } });
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const campaignId = await product.createCampaign();
    const holder = await product.upload(campaignId);
    await product.emulator.untilHeld(1);
    const { body } = await product.upload(campaignId);
    await eventually('it waits', async () => (await product.getSession(body.id)).processing_wait !== null);
    const queue = product.get(JobQueues).get(TRANSCRIBE_QUEUE);
    // What Bull counts; test:chaos kills real workers.
    await queue.client.hset(queue.toKey(`${body.id}.1`), 'stalledCounter', deaths);
    product.emulator.release();
    const [, session] = await product.finished([holder.body.id, body.id]);
    expect(session).toMatchObject({
      status,
      error: status === 'failed' ? { code: 'worker_lost', message: expect.stringContaining('retry') } : null,
    });
    await product.drained();
    await product.call(`/api/sessions/${body.id}/retry`, { method: 'POST' });
    expect(await product.finished([body.id])).toMatchObject([{ status: 'completed', run: 2 }]);
  });

  it.each(['asr', 'llm'] as const)(
    'FC-35: a used-up quota of the %s is asked once and never waited for',
    async (kind) => {
      const product = await start();
      product.emulator.script([{ match: { kind }, action: { error: 'insufficient_quota', retry_after: 1 } }]);
      const { body } = await product.upload(await product.createCampaign());
      const [session] = await product.finished([body.id]);
      expect(session).toMatchObject({
        status: 'failed',
        error: { code: 'provider_quota_exhausted' },
        retry_count: 0,
      });
      expect(product.emulator.stats()[kind].requests).toBe(1);
      await product.drained();
    },
  );

  it.each(['asr', 'llm'] as const)(
    'FC-35: a rate limit of the %s that speaks of a quota in prose is waited for',
    async (kind) => {
      const product = await start();
      const message = 'You exceeded your current quota, insufficient_quota';
      product.emulator.script([
        { match: { kind, times: 1 }, action: { error: 'rate_limited', message, retry_after: 0.3 } },
      ]);
      const { body } = await product.upload(await product.createCampaign());
      const [session] = await product.finished([body.id]);
      expect(session).toMatchObject({ status: 'completed', error: null, retry_count: 1 });
      expect(product.emulator.stats()[kind].requests).toBe(2);
    },
  );

  it('FC-38: no secret of a provider leaves through a session, an answer, the queue state or the metrics', async () => {
    const product = await start();
    const address = new URL(product.emulator.url).host;
    const leaky = await start({
      env: {
        QB_LLM_PROVIDER: 'openai',
        QB_LLM_BASE_URL: `http://user:SECRET1@${address}/?key=SECRET2`,
        QB_LLM_API_KEY: 'SECRET3',
      },
    });
    const echo = { error: { message: 'key SECRET3 is wrong', code: 'SECRET3', type: 'SECRET1' } };
    product.emulator.script([{ match: { kind: 'llm' }, action: { status: 401, body: echo } }]);
    const { body } = await leaky.upload(await leaky.createCampaign());
    const [session] = await leaky.finished([body.id]);
    expect(session).toMatchObject({ status: 'failed', error: { code: 'provider_rejected' } });
    const said = [session];
    for (const path of ['/api/admin/ai/queue', '/metrics', '/health/ready', '/api/usage', '/api/sessions']) {
      said.push((await leaky.call(path)).body as never);
    }
    said.push(
      (await leaky.call(`/api/sessions/${body.id}/ask`, { json: { question: 'Who?' } })).body as never,
    );
    const queue = leaky.get(JobQueues).get(TRANSCRIBE_QUEUE);
    said.push((await queue.client.keys(`${leaky.env['QB_REDIS_PREFIX']}*`)) as never);
    expect(JSON.stringify(said)).not.toMatch(/SECRET/);
  });
});
