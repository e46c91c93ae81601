import { delay, newId } from '@app/kernel';
import { DataSource } from 'typeorm';
import { BuiltProcess } from '../support/built-process';
import { Product } from '../support/product';

jest.setTimeout(100_000);

/** What another worker would need many times over to take a slot that was given back too early. */
const LONG_ENOUGH_MS = 1_500;

describe('workers beside an api that booted before them', () => {
  let product: Product;
  const workers: BuiltProcess[] = [];

  beforeEach(async () => {
    product = await Product.start({
      processes: 'api',
      env: {
        QB_ASR_CONCURRENCY_LIMIT: '1',
        QB_SHUTDOWN_GRACE_MS: '30000',
        QB_REQUEUE_MIN_MS: '100',
        QB_REQUEUE_MAX_MS: '200',
        QB_RECONCILE_INTERVAL_MS: '200',
      },
    });
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.kill();
    await product.stop();
  });

  async function startWorker(): Promise<BuiltProcess> {
    const worker = await BuiltProcess.start('worker', product.processEnv);
    workers.push(worker);
    return worker;
  }

  it('finish what runs when they are told to stop, under its lease: nobody else gets the slot meanwhile', async () => {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const leaving = await startWorker();
    const campaignId = await product.createCampaign();
    const first = await product.upload(campaignId);
    await product.emulator.untilHeld(1);
    await startWorker();
    const second = await product.upload(campaignId);

    const stopped = leaving.stop();
    await delay(LONG_ENOUGH_MS);
    const asr = (await product.queue()).endpoints.find(({ kind }) => kind === 'asr');
    expect(asr).toMatchObject({ in_use: 1, waiting: 1 });
    product.emulator.release();
    expect(await stopped).toBe(0);

    const ended = await product.finished([first.body.id, second.body.id]);
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(product.emulator.stats().asr).toEqual({ in_flight: 0, peak: 1, requests: 2 });
    await product.drained();
  });

  it('reconcile, although the api could have taken the lead', async () => {
    const campaignId = await product.createCampaign();
    await startWorker();
    const { body } = await product.upload(campaignId);
    await product.finished([body.id]);

    // A row whose job never was.
    const id = newId();
    await product.get(DataSource).query(
      `INSERT INTO sessions (id, team_id, campaign_id, status, phase, recording_key, audio_bytes, audio_content_type)
       SELECT $2, team_id, campaign_id, 'queued', 'asr', recording_key, audio_bytes, audio_content_type
       FROM sessions WHERE id = $1`,
      [body.id, id],
    );
    expect(await product.finished([id])).toMatchObject([{ status: 'completed', run: 1 }]);
  });
});
