import { Logger } from '@nestjs/common';
import { jobIdOf, JobQueues, Reconciler, TRANSCRIBE_QUEUE } from '@app/jobs';
import { newId } from '@app/kernel';
import { ProviderSlots } from '@app/provider-slots';
import { RequestScope } from '@app/request-scope';
import { DataSource } from 'typeorm';
import { eventually } from '../support/eventually';
import { Product } from '../support/product';

jest.setTimeout(60_000);

describe('the reconciler', () => {
  let product: Product;
  let campaignId: string;
  let repairs: string[];

  beforeEach(async () => {
    repairs = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
      const { repair } = line as { repair?: string };
      if (repair) repairs.push(repair);
    });
    // Passes are made by hand, so that a test knows how many there were.
    product = await Product.start({
      env: {
        QB_ASR_CONCURRENCY_LIMIT: '1',
        QB_RECONCILE_INTERVAL_MS: '86400000',
        QB_SLOT_LEASE_MS: '1000',
      },
    });
    campaignId = await product.createCampaign();
  });
  afterEach(async () => {
    await product.stop();
    jest.restoreAllMocks();
  });

  const pass = (): Promise<void> => product.get(Reconciler).pass();
  const sql = <T = object>(text: string, values: unknown[] = []): Promise<T[]> =>
    product.get(DataSource).query(text, values);

  async function metric(repair: string): Promise<number> {
    const { body } = await product.call<string>('/metrics');
    return Number(new RegExp(`reconciler_repairs_total\\{repair="${repair}"\\} (\\d+)`).exec(body)?.[1] ?? 0);
  }

  /** One session that is being transcribed for as long as the test likes, and one that waits behind it. */
  async function heldAndParked(): Promise<{ held: string; parked: string }> {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const held = (await product.upload(campaignId)).body.id;
    await product.emulator.untilHeld(1);
    const parked = (await product.upload(campaignId)).body.id;
    await eventually('the second waits', async () => {
      const job = await product.get(JobQueues).get(TRANSCRIBE_QUEUE).getJob(jobIdOf(parked, 1));
      const [row] = await sql<{ ticket: string | null }>('SELECT ticket FROM sessions WHERE id = $1', [
        parked,
      ]);
      return row?.ticket !== null && (await job?.isDelayed());
    });
    return { held, parked };
  }

  it('changes nothing where all agrees', async () => {
    const { held, parked } = await heldAndParked();
    for (let count = 0; count < 3; count += 1) await pass();
    expect(repairs).toEqual([]);
    product.emulator.release();
    await product.finished([held, parked]);
    expect(product.emulator.stats().asr).toMatchObject({ requests: 2, peak: 1 });
  });

  it('gives a row without a job its job back, once and with its ticket', async () => {
    const { held, parked } = await heldAndParked();
    const before = await sql('SELECT ticket FROM sessions WHERE id = $1', [parked]);
    await product.get(JobQueues).remove(TRANSCRIBE_QUEUE, jobIdOf(parked, 1));
    for (let count = 0; count < 3; count += 1) await pass();
    expect(repairs).toEqual(['job_added']);
    expect(await metric('job_added')).toBe(1);
    product.emulator.release();
    const sessions = await product.finished([held, parked]);
    expect(sessions.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(await sql('SELECT ticket FROM sessions WHERE id = $1', [parked])).toEqual(before);
    expect(product.emulator.stats().asr).toMatchObject({ requests: 2, peak: 1 });
    await product.drained();
  });

  it('gives a row that may be worked for its job only when two passes saw it idle', async () => {
    const { body } = await product.upload(campaignId);
    await product.finished([body.id]);
    const id = newId();
    await sql(
      `INSERT INTO sessions (id, team_id, campaign_id, status, phase, recording_key, audio_bytes, audio_content_type)
       SELECT $2, team_id, campaign_id, 'transcribing', 'asr', recording_key, audio_bytes, audio_content_type
       FROM sessions WHERE id = $1`,
      [body.id, id],
    );
    // Redis has kept its data for long.
    const { client } = product.get(JobQueues).get(TRANSCRIBE_QUEUE);
    await client.set(`${product.env['QB_REDIS_PREFIX']}:reconciler:since`, 0);
    await pass();
    expect(repairs).toEqual([]);
    await pass();
    expect(repairs).toEqual(['job_added']);
    expect(await product.finished([id])).toMatchObject([{ status: 'completed' }]);
  });

  it('removes a job whose row is gone, and its place when two passes saw it so', async () => {
    const { held, parked } = await heldAndParked();
    await sql('DELETE FROM sessions WHERE id = $1', [parked]);
    await pass();
    expect(repairs).toEqual(['job_removed']);
    const waiting = async (): Promise<number | null | undefined> =>
      (await product.queue()).endpoints.find(({ kind }) => kind === 'asr')?.waiting;
    expect(await waiting()).toBe(1);
    await pass();
    expect(repairs).toEqual(['job_removed', 'place_dropped']);
    expect(await waiting()).toBe(0);
    product.emulator.release();
    await product.finished([held]);
    await product.drained();
  });

  it('drops a lease of ours whose run is over, and never one of an ask or of another service', async () => {
    const slots = product.get(ProviderSlots);
    const caps = [{ name: 'asr:whisperx:elsewhere:1', limit: 10 }];
    const acquire = (placeId: string) =>
      product.get(RequestScope).exit(() => slots.acquire({ placeId, caps, group: 'g' }));
    const ghost = `session:${newId()}:1:asr`;
    const strangers = [`request:${newId()}`, 'other-service:7', `session:${newId()}`];
    const leases = await Promise.all([ghost, ...strangers].map(acquire));
    await pass();
    expect(repairs).toEqual([]);
    await pass();
    await pass();
    expect(repairs).toEqual(['place_dropped']);
    expect(await metric('place_dropped')).toBe(1);
    expect([...(await slots.heldAmong([ghost, ...strangers]))].sort()).toEqual([...strangers].sort());
    await Promise.allSettled(leases.map((lease) => lease.release()));
  });
});
