import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { DataSource } from 'typeorm';
import { eventually } from '../support/eventually';
import { type Answer, type Call, Product, readSample } from '../support/product';

const MAX_BYTES = 300_000;
const NOBODYS_ID = '01890000-0000-7000-8000-0000000000ff';

describe('bad input', () => {
  let product: Product;
  let campaignId: string;

  beforeAll(async () => {
    product = await Product.start({ env: { QB_UPLOAD_MAX_BYTES: String(MAX_BYTES) } });
    campaignId = await product.createCampaign();
  });

  afterAll(() => product.stop());

  function upload(parts: Record<string, string | Blob>, call: Call = {}): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(parts)) {
      if (typeof value === 'string') form.set(name, value);
      else form.set(name, value, 'recording.wav');
    }
    return product.call(`/api/campaigns/${campaignId}/sessions`, { body: form, ...call });
  }

  async function expectNothingLeft(): Promise<void> {
    const { body } = await product.call<{ items: unknown[] }>('/api/sessions');
    expect(body.items).toEqual([]);
    const folder = product.env['QB_STORAGE_URL']!.replace('file:', '');
    await eventually('no file is left', async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.every((entry) => !entry.isFile());
    });
    await product.drained();
  }

  const blob = (content: Buffer | string): Blob =>
    new Blob([typeof content === 'string' ? content : new Uint8Array(content)]);

  it.each<[string, () => Promise<Answer>, number, string]>([
    ['no file', () => upload({ title: 'x' }), 422, 'validation_failed'],
    ['an empty file', () => upload({ audio: blob('') }), 422, 'validation_failed'],
    [
      'text named .wav',
      () => upload({ audio: blob('RIFF this is only text') }),
      415,
      'unsupported_media_type',
    ],
    [
      'a file that is too large',
      async () => upload({ audio: blob(Buffer.concat([await readSample(0), Buffer.alloc(MAX_BYTES)])) }),
      413,
      'payload_too_large',
    ],
    [
      'an unknown field',
      async () => upload({ colour: 'red', audio: blob(await readSample(0)) }),
      422,
      'validation_failed',
    ],
    [
      'a bad language',
      async () => upload({ audio: blob(await readSample(0)), language: '!' }),
      422,
      'validation_failed',
    ],
    [
      'no multipart at all',
      () => product.call(`/api/campaigns/${campaignId}/sessions`, { json: {} }),
      422,
      'validation_failed',
    ],
    [
      'a campaign that is not there',
      async () =>
        upload({ audio: blob(await readSample(0)) }).then(
          () => product.upload(NOBODYS_ID) as unknown as Answer,
        ),
      404,
      'not_found',
    ],
    [
      'a wrong key',
      async () => upload({ audio: blob(await readSample(0)) }, { key: 'ql_00000000_nothing' }),
      401,
      'unauthorized',
    ],
    ['no key', () => product.call('/api/sessions', { key: null }), 401, 'unauthorized'],
    [
      'malformed JSON',
      () =>
        product.call('/api/campaigns', { body: '{"name":', headers: { 'Content-Type': 'application/json' } }),
      400,
      'validation_failed',
    ],
    [
      'an unknown JSON field',
      () => product.call('/api/campaigns', { json: { name: 'x', colour: 'red' } }),
      422,
      'validation_failed',
    ],
    [
      'a name with a character that cannot be stored',
      () => product.call('/api/campaigns', { json: { name: 'a\u0000b' } }),
      422,
      'validation_failed',
    ],
    [
      'an empty name',
      () => product.call('/api/campaigns', { json: { name: '  ' } }),
      422,
      'validation_failed',
    ],
    ['limit=-1', () => product.call('/api/sessions?limit=-1'), 422, 'validation_failed'],
    ['a made-up cursor', () => product.call('/api/sessions?cursor=nonsense'), 422, 'validation_failed'],
    ['an unknown route', () => product.call('/api/nothing'), 404, 'not_found'],
    ['an id that is none', () => product.call("/api/sessions/'%20OR%201=1"), 404, 'not_found'],
    [
      'a limit of 0',
      () =>
        product.call('/api/admin/ai/limits', {
          method: 'PUT',
          json: { kind: 'asr', provider: 'whisperx', host: 'x:1', limit: 0 },
        }),
      422,
      'validation_failed',
    ],
    [
      'a limit of 1.5',
      () =>
        product.call('/api/admin/ai/limits', {
          method: 'PUT',
          json: { kind: 'asr', provider: 'whisperx', host: 'x:1', limit: 1.5 },
        }),
      422,
      'validation_failed',
    ],
  ])('%s gets a typed problem document', async (_, send, status, code) => {
    const answer = await send();
    expect(answer).toMatchObject({
      status,
      body: { status, code, type: `/docs/errors/${code}`, request_id: expect.any(String) },
    });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('leaves no row, job or file behind when it was an upload', async () => {
    const { body } = await product.call<{ items: Array<{ id: string }> }>('/api/sessions');
    for (const { id } of body.items) await product.call(`/api/sessions/${id}`, { method: 'DELETE' });
    await upload({ title: 'x' });
    await upload({ audio: blob('just text') });
    await upload({ audio: blob(await readSample(0)), language: '!' });
    await expectNothingLeft();
  });

  it('an upload that breaks off leaves no row, job or file', async () => {
    const { hostname, port } = new URL(product.url);
    const socket = connect(Number(port), hostname);
    const head = '--b\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n';
    socket.write(
      `POST /api/campaigns/${campaignId}/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${product.adminKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 200000\r\n\r\n${head}`,
    );
    socket.write((await readSample(0)).subarray(0, 50_000));
    const folder = product.env['QB_STORAGE_URL']!.replace('file:', '');
    await eventually(
      'the upload is under way',
      async () => (await readdir(`${folder}/incoming`)).length === 1,
    );
    socket.destroy();
    await expectNothingLeft();
  });

  it("another team's things are not found, and a member reaches no admin route", async () => {
    const stranger = await product.createTeam('strangers');
    const { body } = await product.upload(campaignId);
    const asStranger = { key: stranger.key };
    for (const path of [
      `/api/campaigns/${campaignId}`,
      `/api/sessions/${body.id}`,
      `/api/sessions/${body.id}/transcript`,
    ]) {
      expect(await product.call(path, asStranger)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
    expect((await product.upload(campaignId, undefined, asStranger)).status).toBe(404);
    expect(await product.call('/api/sessions', asStranger)).toMatchObject({
      status: 200,
      body: { items: [] },
    });
    expect(await product.call(`/api/sessions/${body.id}`, { ...asStranger, method: 'DELETE' })).toMatchObject(
      { status: 404 },
    );
    expect(await product.call('/api/admin/ai/queue', asStranger)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect(await product.call('/API/admin/teams', asStranger)).toMatchObject({ status: 403 });
    await product.finished([body.id]);
  });

  it('keeps keys as hashes only', async () => {
    const team = await product.createTeam('hashed');
    const dataSource = await new DataSource({
      type: 'postgres',
      url: product.env['DATABASE_URL'],
    }).initialize();
    const rows = await dataSource.query<Array<Record<string, unknown>>>(
      'SELECT * FROM api_keys WHERE team_id = $1',
      [team.id],
    );
    await dataSource.destroy();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(team.key.slice(15));
  });
});
