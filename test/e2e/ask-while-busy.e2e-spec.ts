import { Product } from '../support/product';
import { eventually } from '../support/eventually';

describe('a question while the LLM is busy', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start();
  });

  afterAll(() => product.stop());

  it('is refused at once, says that nothing was sent, and leaves no waiter', async () => {
    const campaignId = await product.createCampaign();
    const { body } = await product.upload(campaignId);
    await product.finished([body.id]);

    product.emulator.script({
      rules: [{ match: { kind: 'llm', times: 1 }, action: { hold: true } }],
    });
    const other = await product.upload(campaignId);
    await eventually('the LLM slot is held', () => product.emulator.stats().llm.in_flight === 1);
    const sentBefore = product.emulator.stats().llm.requests;

    const askedAt = performance.now();
    const refused = await product.call(`/api/sessions/${body.id}/ask`, { json: { question: 'Who fell?' } });
    expect(performance.now() - askedAt).toBeLessThan(500);
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({
      code: 'provider_busy',
      blocked_by: 'cap',
      title: expect.stringContaining('nothing was sent'),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(product.emulator.stats().llm.requests).toBe(sentBefore);
    const llm = (await product.queue()).endpoints.find(({ kind }) => kind === 'llm');
    expect(llm).toMatchObject({ in_use: 1, waiting: 0 });

    product.emulator.release();
    await product.finished([other.body.id]);
    const answered = await product.call<{ answer: string }>(`/api/sessions/${body.id}/ask`, {
      json: { question: 'Who fell?' },
    });
    expect(answered).toMatchObject({ status: 200, body: { answer: expect.any(String) } });
    const rows = (await product.usage()).filter(({ source }) => source === 'request');
    expect(rows.map(({ status }) => status)).toEqual(['completed']);
    await product.drained();
  });

  it('is told about how long the LLM will be busy, once there is history', async () => {
    const campaignId = await product.createCampaign();
    product.emulator.script([{ match: { kind: 'llm', times: 1 }, action: { delay_ms: 2_500 } }]);
    const slow = await product.upload(campaignId);
    await product.finished([slow.body.id]);
    product.emulator.script([{ match: { kind: 'llm', times: 1 }, action: { hold: true } }]);
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => product.upload(campaignId)));
    await eventually('four wait for the LLM', async () => {
      const llm = (await product.queue()).endpoints.find(({ kind }) => kind === 'llm');
      return llm?.waiting === 4;
    });
    const llm = (await product.queue()).endpoints.find(({ kind }) => kind === 'llm');
    const refused = await product.call(`/api/sessions/${slow.body.id}/ask`, {
      json: { question: 'Who fell?' },
    });
    expect(refused).toMatchObject({ status: 503, body: { code: 'provider_busy' } });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(Math.abs(seconds - (llm?.estimated_wait_seconds ?? 0))).toBeLessThanOrEqual(1);
    product.emulator.release();
    await product.finished(others.map(({ body }) => body.id));
  });
});
