import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DataSource } from 'typeorm';
import { Product, readSample } from '../support/product';

describe('an upload with an Idempotency-Key', () => {
  let product: Product;
  let campaignId: string;

  beforeAll(async () => {
    product = await Product.start();
    campaignId = await product.createCampaign();
  });
  afterAll(() => product.stop());

  const headers = (key: string): { headers: Record<string, string> } => ({
    headers: { 'Idempotency-Key': key },
  });

  async function recordings(): Promise<number> {
    const folder = fileURLToPath(product.env['QB_STORAGE_URL']!.replace('file:', 'file://'));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  }

  it('makes one session of any number of repetitions, also at once, and keeps one recording', async () => {
    const audio = await readSample(0);
    const before = await recordings();
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => product.upload(campaignId, audio, headers('friday'))),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    await product.finished([...ids]);

    const late = await product.upload(campaignId, audio, headers('friday'));
    expect(late).toMatchObject({ status: 202, body: { id: answers[0]!.body.id, status: 'completed' } });
    expect(await recordings()).toBe(before + 1);
    expect(product.emulator.stats().asr.requests).toBe(1);
    expect(await product.usage()).toHaveLength(1);
  });

  it('is refused when the key was used for other content, and leaves nothing behind', async () => {
    const first = await product.upload(campaignId, await readSample(1), headers('saturday'));
    const before = await recordings();
    const elsewhere = await product.createCampaign();
    const others = [
      await product.upload(campaignId, await readSample(2), headers('saturday')),
      await product.upload(elsewhere, await readSample(1), headers('saturday')),
    ];
    for (const other of others) expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await recordings()).toBe(before);
    const { body } = await product.call<{ items: object[] }>(`/api/sessions?campaign_id=${elsewhere}`);
    expect(body.items).toEqual([]);
    expect((await product.upload(campaignId, undefined, headers('no spaces'))).status).toBe(422);

    const blue = await product.createTeam('blue');
    const theirs = await product.createCampaign(blue.key);
    const own = await product.upload(theirs, await readSample(1), { ...headers('saturday'), key: blue.key });
    expect(own.status).toBe(202);
    expect(own.body.id).not.toBe(first.body.id);
  });

  it('frees its key when it was refused, and not when its session was deleted', async () => {
    const bad = await product.upload(campaignId, Buffer.from('no audio at all'), headers('sunday'));
    expect(bad.status).toBe(415);
    const good = await product.upload(campaignId, await readSample(3), headers('sunday'));
    expect(good.status).toBe(202);
    await product.call(`/api/sessions/${good.body.id}`, { method: 'DELETE' });
    const before = await recordings();
    expect((await product.upload(campaignId, await readSample(3), headers('sunday'))).status).toBe(409);
    expect(await recordings()).toBe(before);
  });

  it('forgets a key after a day, and none before', async () => {
    const audio = await readSample(2);
    const database = product.get(DataSource);
    const age = (key: string, hours: number): Promise<unknown> =>
      database.query(
        'UPDATE idempotency_keys SET created_at = now() - make_interval(hours => $2) WHERE key = $1',
        [key, hours],
      );
    const of = async (key: string): Promise<string> =>
      (await product.upload(campaignId, audio, headers(key))).body.id;
    const [old, recent] = [await of('old'), await of('recent')];
    await age('old', 25);
    await age('recent', 23);
    await of('another');
    expect(await of('recent')).toBe(recent);
    expect(await of('old')).not.toBe(old);
  });
});
