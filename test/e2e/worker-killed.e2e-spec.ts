import { Emulator } from '../../apps/emulator/src';
import { BuiltProcess } from '../support/built-process';
import { Product } from '../support/product';

jest.setTimeout(100_000);

const QUICK_STALL_CHECK = {
  QB_JOB_LOCK_MS: '1000',
  QB_STALLED_INTERVAL_MS: '300',
  QB_SLOT_LEASE_MS: '60000',
};

describe('a worker process', () => {
  let product: Product;
  let campaignId: string;

  beforeAll(async () => {
    product = await Product.start({
      processes: 'api',
      env: { QB_ASR_CONCURRENCY_LIMIT: '1', ...QUICK_STALL_CHECK },
    });
    campaignId = await product.createCampaign();
  });

  afterAll(() => product.stop());
  afterEach(() => product.emulator.reset());

  const startWorker = (): Promise<BuiltProcess> => BuiltProcess.start('worker', product.processEnv);

  it('that is killed in mid-transcription costs the session nothing: it completes, with one usage row and no lease left', async () => {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const doomed = await startWorker();
    const { body } = await product.upload(campaignId);
    // Held, not only in flight: a script acts once it has read the audio.
    await product.emulator.untilHeld(1);
    await doomed.kill();

    const successor = await startWorker();
    try {
      // Granted on its first ask, long before the dead worker's lease of a minute would have run out.
      const [session] = await product.finished([body.id], 40_000);
      expect(session).toMatchObject({ status: 'completed', run: 1 });
      const rows = (await product.usage()).filter(({ session_id }) => session_id === body.id);
      expect(rows).toHaveLength(1);
      await product.drained();
    } finally {
      await successor.stop();
    }
  });

  it('that is killed before the provider moves to another address costs the session nothing either', async () => {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const doomed = await startWorker();
    const { body } = await product.upload(campaignId);
    await product.emulator.untilHeld(1);
    await doomed.kill();

    const moved = await new Emulator().start();
    const successor = await BuiltProcess.start('worker', {
      ...product.processEnv,
      QB_ASR_BASE_URL: moved.url,
    });
    try {
      const [session] = await product.finished([body.id], 40_000);
      expect(session).toMatchObject({ status: 'completed', run: 1, error: null });
      expect(moved.stats().asr.requests).toBe(1);
      await product.drained();
    } finally {
      await successor.stop();
      await moved.stop();
    }
  });

  it('that is told to stop puts its job back with its ticket and exits 0', async () => {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const leaving = await startWorker();
    const { body } = await product.upload(campaignId);
    // Held, not only in flight: a script acts once it has read the audio.
    await product.emulator.untilHeld(1);
    expect(await leaving.stop()).toBe(0);
    const asr = (await product.queue()).endpoints.find(({ kind }) => kind === 'asr');
    expect(asr).toMatchObject({ in_use: 0 });

    const successor = await startWorker();
    try {
      const [session] = await product.finished([body.id], 40_000);
      expect(session).toMatchObject({ status: 'completed', run: 1 });
      await product.drained();
    } finally {
      await successor.stop();
    }
  });
});
