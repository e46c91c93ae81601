import { Product } from '../support/product';
import { eventually } from '../support/eventually';

describe('a session that waits while the cap is taken', () => {
  let product: Product;
  let campaignId: string;

  beforeEach(async () => {
    product = await Product.start({
      env: { QB_ASR_CONCURRENCY_LIMIT: '1' },
      emulator: { holdMs: { asr: 300, llm: 20 } },
    });
    campaignId = await product.createCampaign();
  });

  afterEach(() => product.stop());

  async function uploadAndWaitFor(status: string): Promise<string> {
    const { body } = await product.upload(campaignId);
    await eventually(`it is ${status}`, async () => (await product.getSession(body.id)).status === status);
    return body.id;
  }

  it('says its place and since when, no minutes before there is history, and nothing once it runs', async () => {
    product.emulator.script({
      rules: [{ match: { kind: 'asr', times: 1 }, action: { hold: true } }],
    });
    const first = await uploadAndWaitFor('transcribing');
    expect((await product.getSession(first)).processing_wait).toBeNull();

    const { body } = await product.upload(campaignId);
    const { body: third } = await product.upload(campaignId);
    const wait = await eventually(
      'it waits',
      async () => (await product.getSession(third.id)).processing_wait ?? undefined,
    );
    expect(wait).toEqual({ kind: 'asr', position: 1, estimated_seconds: null, since: expect.any(String) });
    expect(Date.now() - Date.parse(wait.since)).toBeLessThan(10_000);
    expect((await product.getSession(body.id)).processing_wait).toMatchObject({ position: 0 });

    const list = await product.call<{ items: object[] }>('/api/sessions');
    for (const item of list.body.items) expect(item).not.toHaveProperty('processing_wait');

    product.emulator.release();
    const ended = await product.finished([first, body.id, third.id]);
    expect(ended.map(({ status, processing_wait }) => ({ status, processing_wait }))).toEqual(
      Array(3).fill({ status: 'completed', processing_wait: null }),
    );
  });

  it('says about how long, once there is history', async () => {
    const warmUp = await product.upload(campaignId);
    await product.finished([warmUp.body.id]);
    product.emulator.script({
      rules: [{ match: { kind: 'asr', times: 1 }, action: { hold: true } }],
    });
    const running = await uploadAndWaitFor('transcribing');
    const { body } = await product.upload(campaignId);
    const wait = await eventually(
      'it waits',
      async () => (await product.getSession(body.id)).processing_wait ?? undefined,
    );
    expect(wait.estimated_seconds).toBeGreaterThanOrEqual(0);
    product.emulator.release();
    await product.finished([running, body.id]);
  });
});
