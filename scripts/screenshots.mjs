import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { BROWSER_FLAGS, ensureBrowser } from './ensure-browser.mjs';

// `npm run screenshots`: every page and state of the console at 360 and 1600 px, light and dark, from the running
// product with emulated providers. The single pictures go to docs/screenshots/full (not committed), one sheet per
// state with all four of them to docs/screenshots. Names after the command make only those states; --sheets makes
// the sheets anew from the pictures that are there.
const root = join(import.meta.dirname, '..');
const sheets = join(root, 'docs', 'screenshots');
const full = join(sheets, 'full');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const sheetsOnly = process.argv.includes('--sheets');

const SIZES = { wide: { width: 1600, height: 1000 }, narrow: { width: 360, height: 760 } };
const THEMES = ['light', 'dark'];
const TITLES = [
  'The gate that would not open',
  'What the ferryman asked',
  'A library of blank pages',
  'The wolf at dawn',
  'Seven years for a key',
  'The storm off Venn',
  'The sunken crown',
  'Camp under the old oak',
];

const built = createRequire(join(root, 'dist/apps/standalone/src/standalone.js'));
const { Standalone } = built('./standalone.js');
const { EmbeddedStores } = built('./embedded/embedded-stores.js');

async function main() {
  mkdirSync(full, { recursive: true });
  const adminKey = 'admin-key-of-the-screenshots';
  const stores = await EmbeddedStores.start({ say: () => undefined });
  const product = await Standalone.start({
    env: {
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
      PORT: '0',
      QB_ASR_CONCURRENCY_LIMIT: '2',
      QB_LLM_CONCURRENCY_LIMIT: '1',
      QB_LOG_LEVEL: 'error',
    },
    adminKey,
    emulatorEnv: { EMULATOR_HOLD_MS: '300' },
    say: () => undefined,
  });
  const browser = await chromium.launch({ executablePath: ensureBrowser(), args: BROWSER_FLAGS });
  try {
    const world = await buildWorld(product, stores, adminKey);
    for (const [name, state] of Object.entries(statesOf(world))) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      await state.prepare?.();
      for (const [size, viewport] of Object.entries(SIZES)) {
        for (const theme of THEMES) await shoot(browser, product.url, { name, size, viewport, theme, state });
      }
      await state.after?.();
      await makeSheet(browser, name);
      console.log(name);
    }
  } finally {
    await browser.close();
    await product.stop();
    await stores.stop();
  }
}

/** Two teams, their campaigns and sessions: everything through the API, as its users would. */
async function buildWorld(product, stores, adminKey) {
  const call = async (key, path, init = {}) => {
    const isForm = init.body instanceof FormData;
    const response = await fetch(product.url + path, {
      ...init,
      body: init.body === undefined || isForm ? init.body : JSON.stringify(init.body),
      headers: {
        Authorization: `Bearer ${key}`,
        ...(init.body && !isForm ? { 'Content-Type': 'application/json' } : {}),
      },
    });
    if (response.status === 204) return undefined;
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const emulator = async (method, path, body) => {
    await fetch(product.emulatorUrl + path, {
      method,
      body: body && JSON.stringify(body),
      headers: body && { 'Content-Type': 'application/json' },
    });
  };
  const post = (key, path, body = {}) => call(key, path, { method: 'POST', body });
  const samples = readdirSync(join(root, 'samples'))
    .filter((name) => name.endsWith('.wav'))
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(root, 'samples', name)) }));
  const upload = async (key, campaignId, sample, title) => {
    const form = new FormData();
    form.set('title', title);
    form.set('audio', new Blob([samples[sample].bytes]), samples[sample].name);
    return (await call(key, `/api/campaigns/${campaignId}/sessions`, { method: 'POST', body: form })).id;
  };
  const ended = async (key, id) => {
    for (;;) {
      const session = await call(key, `/api/sessions/${id}`);
      if (session.finished_at) return session;
      await sleep(100);
    }
  };

  const teams = {};
  for (const name of ['The Lantern Guild', 'Studio Nord', 'Harbour Players']) {
    const { id } = await post(adminKey, '/api/admin/teams', { name });
    const { key } = await post(adminKey, `/api/admin/teams/${id}/keys`, { name: 'Game master' });
    teams[name] = { id, key };
  }
  const { key } = teams['The Lantern Guild'];
  await post(adminKey, `/api/admin/teams/${teams['The Lantern Guild'].id}/keys`, { name: 'Upload robot' });
  const campaigns = [];
  for (const name of ['Thursday one-shots', 'Ashes of Venn', 'The Sunken Crown']) {
    campaigns.push(await post(key, '/api/campaigns', { name }));
  }
  const campaignId = campaigns[2].id;
  const ids = [];
  for (const [sample, title] of TITLES.entries()) ids.push(await upload(key, campaignId, sample, title));
  for (const id of ids) await ended(key, id);
  await emulator('PUT', '/emulator/script', {
    rules: [{ match: { kind: 'asr', times: 1 }, action: { status: 400, body: 'unreadable' } }],
  });
  const failed = await upload(key, campaigns[1].id, 3, 'The night the recorder fell');
  await ended(key, failed);
  await emulator('PUT', '/emulator/script', { rules: [] });
  for (const name of ['Studio Nord', 'Harbour Players']) {
    const other = await post(teams[name].key, '/api/campaigns', { name: 'Playtests' });
    for (let sample = 0; sample < 4; sample += 1)
      await ended(teams[name].key, await upload(teams[name].key, other.id, sample, TITLES[sample]));
  }
  await spreadUsage(stores.databaseUrl);
  const own = await post(adminKey, '/api/campaigns', { name: 'Table of the operator' });
  return {
    product,
    adminKey,
    key,
    teams,
    campaigns,
    campaignId,
    ids,
    failed,
    upload,
    ended,
    emulator,
    call,
    post,
    own,
  };
}

/** The runs of this minute become those of two weeks, and cost something: a chart of one day shows nothing. */
async function spreadUsage(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM session_usage)
    UPDATE session_usage SET created_at = session_usage.created_at - make_interval(days => (n * 7 % 13)::int),
      audio_seconds = audio_seconds * (900 + 97 * (n % 5)), input_tokens = input_tokens * 90,
      output_tokens = output_tokens * 12, cost_micros = 41000 * (1 + n % 4)
    FROM numbered WHERE numbered.id = session_usage.id`);
  await client.end();
}

function statesOf(world) {
  const { adminKey, key, campaignId, ids, failed, emulator, teams, campaigns } = world;
  let waiting = [];
  const hold = () =>
    emulator('PUT', '/emulator/script', { rules: [{ match: { kind: 'asr' }, action: { hold: true } }] });
  const fill = async () => {
    await hold();
    waiting = [];
    for (let sample = 0; sample < 6; sample += 1) {
      waiting.push(await world.upload(key, campaigns[0].id, sample, `Friday night, table ${sample + 1}`));
    }
    await sleep(1_500);
  };
  const drain = async () => {
    await emulator('PUT', '/emulator/script', { rules: [] });
    await emulator('POST', '/emulator/release');
    for (const id of waiting) await world.ended(key, id);
  };
  const gm = { key };
  const operator = { key: adminKey };
  return {
    'sign-in': { path: '/' },
    'sign-in-refused': {
      path: '/',
      act: async (page) => {
        await page.getByLabel('API key').fill('ql_wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('not known here').waitFor();
      },
    },
    campaigns: { ...gm, path: '/', until: 'Recent sessions' },
    'campaigns-empty': {
      key: teams['Harbour Players'].key,
      path: '/',
      route: emptyLists,
      until: 'No campaigns yet',
    },
    campaign: { ...gm, path: `/campaigns/${campaignId}`, until: TITLES[0] },
    'campaign-uploads': {
      ...gm,
      path: `/campaigns/${campaigns[1].id}`,
      until: 'Drop recordings here',
      act: async (page) => {
        const files = ['01-the-gate.wav', '02-the-ferryman.wav', '03-the-library.wav'].map((name) =>
          join(root, 'samples', name),
        );
        await slowDown(page);
        await page.setInputFiles('input[type=file]', files);
        await page
          .getByText(/^[2-9]\d % of/)
          .first()
          .waitFor();
        await page.getByRole('button', { name: /03-the-library/ }).click();
      },
    },
    'session-ready': { ...gm, path: `/sessions/${ids[6]}`, until: 'Transcript' },
    'session-asked': {
      ...gm,
      path: `/sessions/${ids[4]}`,
      until: 'Ask about this session',
      act: async (page) => {
        await page.getByLabel('Your question').fill('Whose years does the hag want?');
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        await page.locator('.exchange').waitFor();
        await page.getByLabel('Names for').fill('hags of the marsh');
        await page.getByRole('button', { name: 'Invent' }).click();
        await page.locator('.chips li').first().waitFor();
        await page.locator('.exchange').scrollIntoViewIfNeeded();
      },
    },
    'session-failed': { ...gm, path: `/sessions/${failed}`, until: 'Progress' },
    'session-waiting': {
      ...gm,
      prepare: fill,
      path: () => `/sessions/${waiting[5]}`,
      until: 'Queued behind',
    },
    'session-running': { ...gm, path: () => `/sessions/${waiting[0]}`, until: 'running now' },
    'ask-busy': {
      ...gm,
      path: `/sessions/${ids[2]}`,
      until: 'Ask about this session',
      prepare: async () => {
        await emulator('PUT', '/emulator/script', {
          rules: [
            { match: { kind: 'asr' }, action: { hold: true } },
            { match: { kind: 'llm' }, action: { hold: true } },
          ],
        });
        void world
          .post(key, `/api/sessions/${ids[0]}/ask`, { question: 'Who holds the gate?' })
          .catch(() => undefined);
        await sleep(500);
      },
      act: async (page) => {
        await page.getByLabel('Your question').fill('Which book was not blank?');
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        const refusal = page.getByText('Everyone is busy right now.');
        await refusal.waitFor();
        await refusal.scrollIntoViewIfNeeded();
      },
      after: async () => {
        await hold();
        await emulator('POST', '/emulator/release', { kind: 'llm' });
      },
    },
    'queue-busy': { ...operator, path: '/operator', until: 'Busy, not stuck.', settleMs: 6_000 },
    'queue-limit': {
      ...operator,
      path: '/operator',
      until: 'Endpoints',
      act: async (page) => {
        await page.getByRole('button', { name: /Change limit of whisperx/ }).click();
        await page.getByLabel(/New limit/).fill('3');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
      },
      after: drain,
    },
    'queue-caps': {
      ...operator,
      prepare: async () => {
        await emulator('PUT', '/emulator/script', {
          rules: [{ match: { kind: 'llm' }, action: { hold: true } }],
        });
        for (const [team, count] of [
          ['The Lantern Guild', 5],
          ['Studio Nord', 2],
        ]) {
          for (let number = 1; number <= count; number += 1)
            await world.post(teams[team].key, '/api/generations', {
              prompt: `Rumour ${number} of the market`,
            });
        }
        await sleep(1_000);
      },
      path: '/operator',
      until: 'Caps of fleet and teams',
      act: async (page) => {
        const table = page.getByRole('region', { name: 'Caps of fleet and teams' });
        await table.getByRole('row', { name: /^Studio Nord/ }).waitFor();
        await table.scrollIntoViewIfNeeded();
      },
      after: async () => {
        await emulator('PUT', '/emulator/script', { rules: [] });
        await emulator('POST', '/emulator/release');
        await sleep(2_000);
      },
    },
    'queue-quiet': { ...operator, path: '/operator', until: 'All quiet.', settleMs: 2_000 },
    'queue-paused': {
      ...operator,
      prepare: async () => {
        await emulator('PUT', '/emulator/script', {
          rules: [{ match: { kind: 'asr', times: 1 }, action: { status: 429, retry_after: '240' } }],
        });
        waiting = [];
        for (let sample = 0; sample < 3; sample += 1)
          waiting.push(await world.upload(key, campaigns[0].id, sample, `Saturday, table ${sample + 1}`));
        await sleep(1_500);
      },
      path: '/operator',
      until: 'Paused, not stuck.',
    },
    'session-paused': { ...gm, path: () => `/sessions/${waiting[2]}`, until: 'asked us to pause' },
    usage: { ...operator, path: '/operator/usage', until: 'Figures', settleMs: 500 },
    'team-usage': { ...gm, path: '/usage', until: 'Ledger' },
    teams: { ...operator, path: '/operator/teams', until: 'Upload robot' },
    'not-an-operator': { ...gm, path: '/operator', until: 'This page is for operators' },
    loading: {
      ...gm,
      path: '/',
      until: '',
      route: async (page) => page.route('**/api/**', () => undefined),
      settleMs: 400,
    },
    error: {
      ...gm,
      path: `/campaigns/${campaignId}`,
      until: 'Something went wrong on our side',
      route: async (page) =>
        page.route('**/api/campaigns/*', (route) =>
          route.fulfill({
            status: 500,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              code: 'internal_error',
              title: 'Something went wrong on our side',
              detail: 'The fault is logged under the request id',
              request_id: '0192f3a0-7c',
            }),
          }),
        ),
    },
    away: {
      ...gm,
      path: '/',
      until: 'Recent sessions',
      act: async (page) => {
        await page.route(/\/(api|health)\//, (route) => route.abort());
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
        await page.getByText('Questline does not answer.').waitFor({ timeout: 40_000 });
      },
    },
    'error-page': { path: '/docs/errors/provider_busy', until: 'What to do' },
  };
}

/** A home line, so that an upload can be seen on its way. */
async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const conditions = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 60_000 };
  await session.send('Network.emulateNetworkConditions', conditions);
}

const emptyLists = (page) =>
  page.route(/\/api\/(campaigns|sessions)\?/, (route) =>
    route.fulfill({ json: { items: [], next_cursor: null } }),
  );

async function shoot(browser, url, { name, size, viewport, theme, state }) {
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  try {
    if (state.key) await page.addInitScript((key) => sessionStorage.setItem('questline.key', key), state.key);
    await state.route?.(page);
    await page.goto(url + (typeof state.path === 'function' ? state.path() : state.path));
    if (state.until) await page.getByText(state.until).first().waitFor();
    await state.act?.(page);
    await page.evaluate(() => document.fonts.ready);
    await sleep(state.settleMs ?? 250);
    await page.screenshot({ path: join(full, `${name}-${size}-${theme}.png`) });
  } catch (error) {
    await page.screenshot({ path: join(full, `${name}-${size}-${theme}-broken.png`) });
    throw new Error(`${name} at ${size}, ${theme}: ${error.message}`);
  } finally {
    await context.close();
  }
}

/** One picture with all four: the wide ones on the left, the narrow ones beside them. */
async function makeSheet(browser, name) {
  const picture = (size, theme) =>
    `data:image/png;base64,${readFileSync(join(full, `${name}-${size}-${theme}.png`)).toString('base64')}`;
  const page = await browser.newPage({ viewport: { width: 1280, height: 1032 } });
  await page.setContent(`<style>
    body { margin: 0; padding: 12px; display: grid; grid-template-columns: 660px auto; gap: 12px; background: #d9d4ca; }
    img { display: block; border-radius: 6px; } .wide { width: 660px; height: 412px; } .narrow { width: 195px; height: 412px; }
    section { display: grid; gap: 12px; align-content: start; }
    </style>
    <section>${THEMES.map((theme) => `<img class="wide" src="${picture('wide', theme)}">`).join('')}</section>
    <section>${THEMES.map((theme) => `<img class="narrow" src="${picture('narrow', theme)}">`).join('')}</section>`);
  await page.setViewportSize({ width: 891, height: 860 });
  await page.screenshot({ path: join(sheets, `${name}.png`) });
  await page.close();
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (sheetsOnly) {
  const browser = await chromium.launch({ executablePath: ensureBrowser(), args: BROWSER_FLAGS });
  const names = readdirSync(full).filter((name) => name.endsWith('-wide-light.png'));
  for (const name of names) await makeSheet(browser, name.replace('-wide-light.png', ''));
  await browser.close();
} else await main();
process.exit(0);
