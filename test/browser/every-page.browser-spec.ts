import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { ConsoleWorld } from './console-world';
import { findViolations } from './find-violations';

const ASSETS = join(__dirname, '../../dist/apps/console/assets');
const MOST_BUNDLE_BYTES = 250_000;
const MOST_FIRST_LOAD_MS = 1_000;

const LOOKS = [
  ['narrow', 'light'],
  ['narrow', 'dark'],
  ['wide', 'light'],
  ['wide', 'dark'],
] as const;
const VIEWPORTS = { narrow: { width: 360, height: 760 }, wide: { width: 1600, height: 1000 } };

describe('every page', () => {
  let world: ConsoleWorld;
  let places: Array<{ path: string; key?: string; until: string; then?: (page: Page) => Promise<unknown> }>;

  beforeAll(async () => {
    world = await ConsoleWorld.start({ env: { QB_ASR_CONCURRENCY_LIMIT: '1' } });
    const { product } = world;
    const admin = product.adminKey;
    const team = await product.createTeam('Studio Nord');
    const campaignId = await product.createCampaign();
    const ready = await product.upload(campaignId);
    await product.finished([ready.body.id]);
    product.emulator.script({
      rules: [{ match: { kind: 'asr', times: 1 }, action: { status: 400, body: 'unreadable' } }],
    });
    const failed = await product.upload(campaignId);
    await product.finished([failed.body.id]);
    product.emulator.script({ rules: [{ match: { kind: 'asr' }, action: { hold: true } }] });
    await product.upload(campaignId);
    const waiting = await product.upload(campaignId);
    await product.call('/api/generations', { json: { prompt: 'A rumour of the market' } });
    places = [
      { path: '/', until: 'Sign in' },
      { path: '/', key: admin, until: 'Recent sessions' },
      { path: '/', key: team.key, until: 'No campaigns yet' },
      {
        path: '/',
        key: admin,
        until: 'Recent sessions',
        then: async (page) => {
          await page.getByRole('button', { name: 'New campaign' }).click();
          await page.getByRole('dialog').waitFor();
        },
      },
      { path: `/campaigns/${campaignId}`, key: admin, until: 'Drop recordings here' },
      { path: `/sessions/${ready.body.id}`, key: admin, until: 'Ask about this session' },
      {
        path: `/sessions/${ready.body.id}`,
        key: admin,
        until: 'Transcript',
        then: async (page) => {
          await page.getByRole('button', { name: 'Download' }).click();
          await page.getByRole('menuitem').first().waitFor();
        },
      },
      { path: `/sessions/${failed.body.id}`, key: admin, until: 'More about' },
      { path: `/sessions/${waiting.body.id}`, key: admin, until: 'Next in line' },
      { path: '/usage', key: team.key, until: 'Nothing was consumed' },
      { path: '/usage', key: admin, until: 'Ledger' },
      { path: '/operator', key: admin, until: 'Whole fleet' },
      { path: '/operator/usage', key: admin, until: 'Figures' },
      { path: '/operator/teams', key: admin, until: 'Studio Nord' },
      { path: '/operator', key: team.key, until: 'This page is for operators' },
      { path: '/nonsense', key: admin, until: 'There is no such page' },
      { path: '/docs/errors/provider_busy', until: 'What to do' },
    ];
  });

  afterAll(async () => {
    world.product.emulator.script({ rules: [] });
    world.product.emulator.release();
    await world.stop();
    expect(world.misdeeds).toEqual({ strangers: [], complaints: [] });
  });

  it.each(LOOKS)(
    'passes axe and never scrolls sideways (%s, %s)',
    async (width, colorScheme) => {
      const found: string[] = [];
      for (const { path, key, until, then } of places) {
        const page = await world.open(path, key, { viewport: VIEWPORTS[width], colorScheme });
        await page.getByText(until).first().waitFor();
        await then?.(page);
        found.push(...(await findViolations(page)).map((violation) => `${path}: ${violation}`));
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        if (overflow > 0) found.push(`${path}: scrolls sideways by ${overflow} px`);
        await page.context().close();
      }
      expect(found).toEqual([]);
    },
    300_000,
  );

  it('fits its bundle into 250 kB after compression', () => {
    const bytes = readdirSync(ASSETS)
      .filter((name) => /\.(js|css)$/.test(name))
      .reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);
    expect(bytes).toBeLessThanOrEqual(MOST_BUNDLE_BYTES);
  });

  it('shows a list of 200 sessions within a second of the first load', async () => {
    const { product } = world;
    const campaignId = await product.createCampaign();
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(Array.from({ length: 10 }, () => product.upload(campaignId)));
    }
    const tries: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const page = await world.open('/docs/errors/not_found', product.adminKey);
      const beganAt = Date.now();
      await page.goto(`${world.door.url}/campaigns/${campaignId}`, { waitUntil: 'commit' });
      await page.locator('.session-list li').nth(199).waitFor({ state: 'attached' });
      tries.push(Date.now() - beganAt);
      await page.context().close();
    }
    expect(Math.min(...tries)).toBeLessThan(MOST_FIRST_LOAD_MS);
  }, 180_000);
});
