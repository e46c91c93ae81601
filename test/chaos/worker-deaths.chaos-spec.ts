import type { SessionDto } from '../../libs/sessions/src/http/session-answers.dto';
import { BuiltProcess } from '../support/built-process';
import { eventually } from '../support/eventually';
import { Product } from '../support/product';
import { silentWav } from '../support/silent-wav';

jest.setTimeout(600_000);

/** Times that a worker is killed while it transcribes one session, and what becomes of the session. */
const DEATHS = [1, 2, 5, 6];

describe('a worker that dies again and again', () => {
  let product: Product;
  const workers: BuiltProcess[] = [];

  beforeAll(async () => {
    product = await Product.start({
      processes: 'api',
      env: {
        QB_ASR_CONCURRENCY_LIMIT: '4',
        QB_JOB_LOCK_MS: '5000',
        QB_STALLED_INTERVAL_MS: '300',
        QB_RECONCILE_INTERVAL_MS: '500',
      },
    });
  });

  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    await product.stop();
  });

  it('fails a session at its sixth death and none before, and a retry of that one works', async () => {
    const campaignId = await product.createCampaign();
    const ids: string[] = [];
    for (const seconds of [1, 2, 3, 4]) {
      ids.push((await product.upload(campaignId, silentWav(seconds))).body.id);
    }
    // Of all first sends four hang, of all second ones three, and so on; whose does not hang completes.
    const rounds = Array.from({ length: Math.max(...DEATHS) }, (_, round) => round + 1);
    const hanging = (round: number): number => DEATHS.filter((deaths) => deaths >= round).length;
    product.emulator.script(
      rounds.map((send) => ({ match: { kind: 'asr', send, times: hanging(send) }, action: { hold: true } })),
    );
    for (const round of rounds) {
      const worker = await BuiltProcess.start('worker', product.processEnv);
      workers.push(worker);
      await product.emulator.untilHeld(hanging(round), 60_000);
      await eventually(
        'the others are through',
        async () => {
          const sessions = await Promise.all(ids.map((id) => product.getSession(id)));
          const ended = sessions.filter(({ finished_at }) => finished_at !== null);
          return ended.length === DEATHS.length - hanging(round);
        },
        { withinMs: 60_000 },
      );
      await worker.kill();
      await product.emulator.until(({ asr }) => asr.in_flight === 0);
    }
    workers.push(await BuiltProcess.start('worker', product.processEnv));
    const sessions = await product.finished(ids, 60_000);
    const sends = new Map<string, number>();
    for (const { digest } of product.emulator.log().items.filter(({ kind }) => kind === 'asr')) {
      sends.set(digest ?? '', (sends.get(digest ?? '') ?? 0) + 1);
    }
    // The last send of those that completed did not hang.
    expect([...sends.values()].sort()).toEqual([2, 3, 6, 6]);
    expect(sessions.map(({ status, error }) => error?.code ?? status).sort()).toEqual([
      'completed',
      'completed',
      'completed',
      'worker_lost',
    ]);
    const usage = await product.usage();
    expect(usage.map(({ status }) => status).sort()).toEqual([
      'completed',
      'completed',
      'completed',
      'failed',
    ]);
    await product.drained();

    const lost = sessions.find(({ status }) => status === 'failed')?.id ?? '';
    const retried = await product.call<SessionDto>(`/api/sessions/${lost}/retry`, { method: 'POST' });
    expect(retried).toMatchObject({ status: 202, body: { run: 2, status: 'queued', error: null } });
    expect(await product.finished([lost])).toMatchObject([{ status: 'completed', run: 2 }]);
  });
});
