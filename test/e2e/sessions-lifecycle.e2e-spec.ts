import type { SessionDto } from '../../libs/sessions/src/http/session-answers.dto';
import { eventually } from '../support/eventually';
import { type Answer, Product } from '../support/product';

jest.setTimeout(60_000);

/** What "at once" means for a cancellation: the line to the provider is closed and its slot is free. */
const AT_ONCE_MS = 2_000;

describe('a session in the hands of its GM', () => {
  let product: Product;
  let campaignId: string;

  beforeAll(async () => {
    product = await Product.start({
      env: { QB_ASR_CONCURRENCY_LIMIT: '1', QB_ASR_TIMEOUT_MS: '60000' },
      emulator: { holdMs: { asr: 50, llm: 20 } },
    });
    campaignId = await product.createCampaign();
  });
  afterEach(async () => {
    product.emulator.reset();
    await product.drained();
  });
  afterAll(() => product.stop());

  const act = (id: string, verb: 'cancel' | 'retry'): Promise<Answer<SessionDto>> =>
    product.call<SessionDto>(`/api/sessions/${id}/${verb}`, { method: 'POST' });
  const remove = (id: string): Promise<Answer> => product.call(`/api/sessions/${id}`, { method: 'DELETE' });
  const usageOf = async (id: string) =>
    (await product.usage()).filter(({ session_id }) => session_id === id).reverse();

  async function upload(): Promise<string> {
    return (await product.upload(campaignId)).body.id;
  }

  /** A session whose call at the given provider does not answer. */
  async function uploadHeldAt(kind: 'asr' | 'llm'): Promise<string> {
    product.emulator.script([{ match: { kind, times: 1 }, action: { hold: true } }]);
    const id = await upload();
    await product.emulator.untilHeld(1);
    return id;
  }

  async function untilWaiting(id: string): Promise<void> {
    await eventually('it waits', async () => (await product.getSession(id)).processing_wait !== null);
  }

  it('cancelled while it runs: the call is aborted, the next one starts, nothing is billed', async () => {
    const id = await uploadHeldAt('asr');
    const next = await upload();
    await untilWaiting(next);
    const cancelled = await act(id, 'cancel');
    expect(cancelled).toMatchObject({ status: 202, body: { status: 'cancelled', phase: null } });
    await product.emulator.until(
      () => product.emulator.log().items.some(({ outcome }) => outcome === 'closed_early'),
      AT_ONCE_MS,
    );
    await product.finished([next], AT_ONCE_MS * 2);
    expect(await usageOf(id)).toEqual([]);
    expect(await product.getSession(id)).toMatchObject({ status: 'cancelled', error: null });
    expect(await act(id, 'cancel')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('cancelled while it waits: its place is gone at once, nobody else is hurt', async () => {
    const running = await uploadHeldAt('asr');
    const id = await upload();
    await untilWaiting(id);
    await act(id, 'cancel');
    const asr = (await product.queue()).endpoints.find(({ kind }) => kind === 'asr');
    expect(asr).toMatchObject({ in_use: 1, waiting: 0 });
    product.emulator.release();
    expect(await product.finished([running])).toMatchObject([{ status: 'completed' }]);
    expect(await usageOf(id)).toEqual([]);
  });

  it('cancelled while its recap is written: the transcription is billed, and a retry starts at the transcript', async () => {
    const id = await uploadHeldAt('llm');
    const asked = product.emulator.stats().asr.requests;
    await act(id, 'cancel');
    await product.emulator.until(({ llm }) => llm.in_flight === 0, AT_ONCE_MS);
    const [row] = await usageOf(id);
    expect(row).toMatchObject({ status: 'cancelled', llm_calls: 0 });
    expect(row?.audio_seconds).toBeGreaterThan(0);

    expect(await act(id, 'retry')).toMatchObject({ status: 202, body: { run: 2, status: 'summarising' } });
    expect(await product.finished([id])).toMatchObject([{ status: 'completed', run: 2 }]);
    expect(product.emulator.stats().asr.requests).toBe(asked);
  });

  it.each(['asr', 'llm'] as const)(
    'deleted while the %s works for it: all of it goes at once',
    async (kind) => {
      const id = await uploadHeldAt(kind);
      expect((await remove(id)).status).toBe(204);
      await product.emulator.until((stats) => stats[kind].in_flight === 0, AT_ONCE_MS);
      expect((await product.call(`/api/sessions/${id}`)).status).toBe(404);
      expect((await product.call(`/api/sessions/${id}/transcript`)).status).toBe(404);
      await product.drained();
      expect(await usageOf(id)).toMatchObject(kind === 'asr' ? [] : [{ status: 'cancelled' }]);
    },
  );

  it('edited while it runs: the new title stays, and so does what the worker writes', async () => {
    const id = await uploadHeldAt('asr');
    const edited = await product.call(`/api/sessions/${id}`, {
      method: 'PATCH',
      json: { title: 'The bridge at dusk' },
    });
    expect(edited).toMatchObject({
      status: 200,
      body: { title: 'The bridge at dusk', status: 'transcribing' },
    });
    product.emulator.release();
    const [session] = await product.finished([id]);
    expect(session).toMatchObject({ title: 'The bridge at dusk', status: 'completed' });
    expect(session?.recap).toEqual(expect.any(String));
  });

  it('retried while it runs is refused; retried when completed runs from the start, billed as a second run', async () => {
    const id = await uploadHeldAt('asr');
    expect(await act(id, 'retry')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    product.emulator.release();
    await product.finished([id]);
    const { requests } = product.emulator.stats().asr;

    const retries = await Promise.all([act(id, 'retry'), act(id, 'retry'), act(id, 'retry')]);
    expect(retries.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const [again] = await product.finished([id]);
    expect(again).toMatchObject({ status: 'completed', run: 2, error: null });
    expect(again?.recap).toEqual(expect.any(String));
    expect(product.emulator.stats().asr.requests).toBe(requests + 1);
    expect(await usageOf(id)).toMatchObject([
      { run: 1, status: 'completed', llm_calls: 1 },
      { run: 2, status: 'completed', llm_calls: 1 },
    ]);
  });

  it('completed and run again in vain, starts from the start once more; until then its transcript can be read', async () => {
    const id = await upload();
    await product.finished([id]);
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { status: 400 } }]);
    await act(id, 'retry');
    expect(await product.finished([id])).toMatchObject([{ status: 'failed', run: 2 }]);
    expect((await product.call(`/api/sessions/${id}/transcript`)).status).toBe(200);
    const { requests } = product.emulator.stats().asr;
    await act(id, 'retry');
    expect(await product.finished([id])).toMatchObject([{ status: 'completed', run: 3 }]);
    expect(product.emulator.stats().asr.requests).toBe(requests + 1);
  });

  it('failed and retried at once, again and again, runs exactly once more each time (FC-16)', async () => {
    product.emulator.script([{ match: { kind: 'llm', times: 3 }, action: { status: 400 } }]);
    const id = await upload();
    await product.finished([id]);
    for (const run of [2, 3]) {
      expect((await act(id, 'retry')).body).toMatchObject({ run });
      expect(await product.finished([id])).toMatchObject([{ status: 'failed', run }]);
    }
    await act(id, 'retry');
    expect(await product.finished([id])).toMatchObject([{ status: 'completed', run: 4 }]);
    expect(product.emulator.stats()).toMatchObject({ asr: { requests: 1 }, llm: { requests: 4 } });
    expect((await usageOf(id)).map(({ run, status }) => `${run} ${status}`)).toEqual([
      '1 failed',
      '2 failed',
      '3 failed',
      '4 completed',
    ]);
  });

  it('is read as text and as subtitles', async () => {
    product.emulator.script([{ match: { kind: 'asr' }, action: { text: 'We enter. Nobody --> is here.' } }]);
    const id = await upload();
    await product.finished([id]);
    const read = async (format: string): Promise<Answer<string>> =>
      product.call<string>(`/api/sessions/${id}/transcript?format=${format}`);
    expect((await read('txt')).body).toBe('We enter.\nNobody --> is here.\n');
    const srt = await read('srt');
    expect(srt.headers.get('content-type')).toContain('application/x-subrip');
    expect(srt.body).toMatch(
      /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nWe enter\.\n\n2\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nNobody -> is here\.\n$/,
    );
    const vtt = await read('vtt');
    expect(vtt.headers.get('content-type')).toContain('text/vtt');
    expect(vtt.body).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\nWe enter\.\n\n/);
    expect((await read('docx')).status).toBe(422);
  });
});
