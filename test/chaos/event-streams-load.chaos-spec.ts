import { setTimeout as elapse } from 'node:timers/promises';
import { newId } from '@app/kernel';
import { ProviderSlots } from '@app/provider-slots';
import { ProviderEndpoints } from '@app/providers';
import Redis from 'ioredis';
import { Agent, request } from 'undici';
import { DataSource } from 'typeorm';
import { eventually } from '../support/eventually';
import { Product } from '../support/product';
import { RedisServer } from '../support/redis-server';

const WAITING = 200;
const FEW = 5;
const MANY = 500;
/** Long enough that a look four times a second counts, and what else happens once a second too. */
const MEASURED_MS = 4_000;

describe('five hundred open streams', () => {
  let server: RedisServer;
  let product: Product;
  let redis: Redis;
  const agent = new Agent({ connections: MANY, bodyTimeout: 0, headersTimeout: 0 });

  beforeAll(async () => {
    server = await RedisServer.start();
    product = await Product.start({ processes: 'api', redisUrl: server.url });
    redis = new Redis(server.url);
  });

  afterAll(async () => {
    await agent.destroy();
    redis.disconnect();
    await product.stop();
    await server.close();
  });

  /** Sessions that wait for a slot that somebody else holds. */
  async function waitingSessions(): Promise<string[]> {
    const { endpoint, capName } = product.get(ProviderEndpoints).all()[0]!;
    const slots = product.get(ProviderSlots);
    const caps = [{ name: capName, limit: 1, labels: { kind: endpoint.kind } }];
    await slots.acquireOrPark({ placeId: 'the-holder', caps, group: 'other' });
    const campaignId = await product.createCampaign();
    const { body } = await product.upload(campaignId);
    const dataSource = product.get(DataSource);
    const ids = Array.from({ length: WAITING }, () => newId());
    await dataSource.query(
      `INSERT INTO sessions (id, team_id, campaign_id, status, phase, recording_key, audio_bytes, audio_content_type)
       SELECT new_id, team_id, campaign_id, 'queued', 'asr', recording_key, audio_bytes, audio_content_type
       FROM sessions, unnest($2::uuid[]) AS new_id WHERE id = $1`,
      [body.id, ids],
    );
    for (const id of ids) await slots.acquireOrPark({ placeId: `session:${id}:1:asr`, caps, group: 'team' });
    return ids;
  }

  async function open(sessionId: string): Promise<void> {
    const { statusCode, body } = await request(`${product.url}/api/sessions/${sessionId}/events`, {
      headers: { authorization: `Bearer ${product.adminKey}` },
      dispatcher: agent,
    });
    expect(statusCode).toBe(200);
    let told = '';
    body.on('data', (chunk: Buffer) => (told += chunk.toString()));
    body.on('error', () => undefined);
    heard.push(() => told.includes('event: wait'));
  }
  const heard: Array<() => boolean> = [];

  async function commandsPerSecond(): Promise<number> {
    const count = async () => Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const before = await count();
    await elapse(MEASURED_MS);
    return ((await count()) - before) / (MEASURED_MS / 1_000);
  }

  it('cost Redis at most twice what five cost, with two hundred sessions waiting', async () => {
    const ids = await waitingSessions();
    for (let index = 0; index < FEW; index += 1) await open(ids[index * 40]!);
    await eventually('the few are told their wait', () => heard.every((has) => has()));
    const few = await commandsPerSecond();

    for (let index = FEW; index < MANY; index += 1) await open(ids[index % WAITING]!);
    await eventually('all are told their wait', () => heard.every((has) => has()), { withinMs: 30_000 });
    const many = await commandsPerSecond();
    expect(heard).toHaveLength(MANY);
    expect(many / few).toBeLessThanOrEqual(2);
    process.stderr.write(
      `Redis commands a second: ${few.toFixed(0)} with ${FEW} streams, ${many.toFixed(0)} with ${MANY}\n`,
    );
  }, 120_000);
});
