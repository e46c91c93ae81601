import { eventually } from '../support/eventually';
import { Product } from '../support/product';

interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown> | null;
}

/** Reads a stream as our console does: with fetch, since EventSource sends no key. */
function follow(product: Product, path: string, lastEventId?: string) {
  const events: StreamEvent[] = [];
  const abort = new AbortController();
  let ended = false;
  const response = fetch(product.url + path, {
    headers: {
      Authorization: `Bearer ${product.adminKey}`,
      ...(lastEventId ? { 'Last-Event-ID': lastEventId } : {}),
    },
    signal: abort.signal,
  });
  const reading = response.then(async ({ body }) => {
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (field('event'))
          events.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) });
      }
    }
  });
  const over = reading.catch(() => undefined).then(() => (ended = true));
  return { events, response, hasEnded: () => ended, stop: async () => (abort.abort(), over) };
}

describe('event streams', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start({ env: { QB_ASR_CONCURRENCY_LIMIT: '1' } });
  });

  afterAll(() => product.stop());

  it("tell a session's status and wait on change, and only what is new after a break", async () => {
    product.emulator.script([{ match: { kind: 'asr', times: 1 }, action: { hold: true } }]);
    const campaignId = await product.createCampaign();
    await product.upload(campaignId);
    await product.emulator.untilHeld(1);
    const { body } = await product.upload(campaignId);
    const stream = follow(product, `/api/sessions/${body.id}/events`);
    await eventually('its wait is told', () =>
      stream.events.some(({ event, data }) => event === 'wait' && data?.['position'] === 0),
    );
    const { headers } = await stream.response;
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(headers.get('cache-control')).toContain('no-transform');
    await stream.stop();

    const again = follow(product, `/api/sessions/${body.id}/events`, stream.events.at(-1)?.id);
    product.emulator.release();
    await eventually('its end is told', () =>
      again.events.some(({ data }) => data?.['status'] === 'completed'),
    );
    expect(again.events.findLast(({ event }) => event === 'status')).toMatchObject({
      data: { status: 'completed' },
    });
    expect(again.events.some(({ event, data }) => event === 'wait' && data === null)).toBe(true);
    // What it knew before the break is not told again.
    expect(again.events[0]).not.toMatchObject({
      event: 'status',
      data: { status: 'queued', retry_count: stream.events[0]?.data?.['retry_count'] },
    });
    await again.stop();
  });

  it('tell the queue, to admins alone, and cost Redis the same however many listen', async () => {
    const one = follow(product, '/api/admin/ai/queue/events');
    await eventually('the queue is told', () => one.events.length > 0);
    expect(one.events[0]).toMatchObject({
      event: 'queue',
      data: { degraded: false, endpoints: expect.any(Array) },
    });
    const member = await product.createTeam('listeners');
    expect((await product.call('/api/admin/ai/queue/events', { key: member.key })).status).toBe(403);
    await one.stop();
  });

  it("are not found for another team's session, and end when the process stops", async () => {
    const member = await product.createTeam('strangers');
    const { body } = await product.upload(await product.createCampaign());
    expect((await product.call(`/api/sessions/${body.id}/events`, { key: member.key })).status).toBe(404);
    await product.finished([body.id]);
    const stream = follow(product, `/api/sessions/${body.id}/events`);
    await eventually('it is open', () => stream.events.length > 0);
    await product.shut();
    await eventually('it has ended', () => stream.hasEnded());
    await product.boot();
  });
});
