import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { SAMPLES_FOLDER } from '../support/product';
import { ConsoleWorld } from './console-world';

const THREE = ['01-the-gate.wav', '02-the-ferryman.wav', '03-the-library.wav'].map((name) =>
  join(SAMPLES_FOLDER, name),
);
const HOLD_ASR = { rules: [{ match: { kind: 'asr' as const }, action: { hold: true } }] };

describe('the console', () => {
  let world: ConsoleWorld;
  let member: { id: string; key: string };

  beforeAll(async () => {
    world = await ConsoleWorld.start({ env: { QB_ASR_CONCURRENCY_LIMIT: '1' } });
    member = await world.product.createTeam('The Lantern Guild');
  });

  afterEach(async () => {
    world.product.emulator.script({ rules: [] });
    world.product.emulator.release();
    await world.product.drained();
  });

  afterAll(async () => {
    await world.stop();
    expect(world.misdeeds).toEqual({ strangers: [], complaints: [] });
  });

  /** Uploads the three samples in the browser; resolves with the id of the last in the queue. */
  async function uploadThree(page: Page): Promise<string> {
    await page.setInputFiles('input[type=file]', THREE);
    const uploaded = page.getByLabel('Uploads').getByText('Uploaded', { exact: true });
    await uploaded.nth(2).waitFor();
    const waiting = await eventually('two wait', async () => {
      const { body } = await world.product.call<{ items: Array<{ id: string; status: string }> }>(
        '/api/sessions?status=queued',
        { key: member.key },
      );
      const positions = await Promise.all(
        body.items.map(async ({ id }) => {
          const { body: session } = await world.product.call<{
            processing_wait: { position: number } | null;
          }>(`/api/sessions/${id}`, { key: member.key });
          return { id, position: session.processing_wait?.position };
        }),
      );
      return positions.length === 2 && positions.every(({ position }) => position !== undefined) && positions;
    });
    return waiting.find(({ position }) => position === 1)?.id ?? '';
  }

  async function newCampaign(): Promise<string> {
    return world.product.createCampaign(member.key);
  }

  it.each(['live events', 'polling alone'])(
    'shows a game master the queue counting down, then transcript and recap, by %s',
    async (how) => {
      const { emulator } = world.product;
      emulator.script(HOLD_ASR);
      const page = await world.open(`/campaigns/${await newCampaign()}`, member.key);
      if (how === 'polling alone') {
        await page.route('**/api/sessions/*/events', (route) => route.fulfill({ status: 404, body: '{}' }));
      }
      const last = await uploadThree(page);
      const events = page.waitForResponse((response) => response.url().endsWith('/events'));
      await page.goto(`${world.door.url}/sessions/${last}`);
      expect((await events).status()).toBe(how === 'polling alone' ? 404 : 200);

      const note = page.getByTestId('queue-note');
      await note.getByText(/^Queued behind 1/).waitFor();
      expect(await note.innerText()).not.toMatch(/second|-\d|NaN|null/);
      expect(
        await page.locator('[role=status]:has([data-testid=queue-note])').getAttribute('aria-live'),
      ).toBe('polite');
      emulator.release({ kind: 'asr', count: 1 });
      await note.getByText(/^Next in line/).waitFor();
      emulator.release({ kind: 'asr', count: 1 });
      await page.getByText('running now').waitFor();
      expect(await note.count()).toBe(0);

      emulator.script({ rules: [] });
      emulator.release();
      await page.getByRole('heading', { name: 'Recap' }).waitFor();
      await page.locator('.segment').first().waitFor();
      expect(await page.locator('.segment time').first().innerText()).toMatch(/^\d+:\d\d$/);

      const all = await page.locator('.segment').count();
      await page.getByLabel('Search the transcript').fill('zzz');
      await page.getByText('Nothing found').waitFor();
      await page.getByLabel('Search the transcript').fill('');
      await page
        .locator('.segment')
        .nth(all - 1)
        .waitFor();

      await page.getByRole('button', { name: 'Download' }).click();
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: /SRT/ }).click(),
      ]);
      expect(saved.suggestedFilename()).toMatch(/\.srt$/);
      await page.context().close();
    },
  );

  it('says that a provider asked us to pause, and for about how long', async () => {
    world.product.emulator.script({
      rules: [{ match: { kind: 'asr', times: 1 }, action: { status: 429, retry_after: '5' } }],
    });
    const { body } = await world.product.upload(await newCampaign(), undefined, { key: member.key });
    const page = await world.open(`/sessions/${body.id}`, member.key);
    await page.getByText(/asked us to pause for less than a minute/).waitFor();
    await page.getByRole('heading', { name: 'Recap' }).waitFor({ timeout: 30_000 });
    expect(await page.getByTestId('queue-note').count()).toBe(0);
    await page.context().close();
  });

  it('refuses a question kindly while the model is busy, and answers it afterwards', async () => {
    const { product } = world;
    const { body } = await product.upload(await newCampaign(), undefined, { key: member.key });
    await eventually('it is ready', async () => {
      const { body: session } = await product.call(`/api/sessions/${body.id}`, { key: member.key });
      return session['status'] === 'completed';
    });
    product.emulator.script({ rules: [{ match: { kind: 'llm', times: 1 }, action: { hold: true } }] });
    const first = product.call(`/api/sessions/${body.id}/ask`, {
      json: { question: 'Who?' },
      key: member.key,
    });
    await eventually('the model is busy', async () => product.emulator.stats().llm.in_flight === 1);

    const page = await world.open(`/sessions/${body.id}`, member.key);
    await page.getByLabel('Your question').fill('Who holds the crown now?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Everyone is busy right now.').waitFor();
    await page.getByText(/was not sent and cost nothing; try again in/).waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('Who holds the crown now?');

    product.emulator.release();
    await first;
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.exchange .answer').waitFor();
    expect(await page.getByText('Everyone is busy right now.').count()).toBe(0);
    await page.context().close();
  });

  it('lets an operator raise the cap and see the third start within a second', async () => {
    world.product.emulator.script(HOLD_ASR);
    const campaignId = await newCampaign();
    for (let upload = 0; upload < 3; upload += 1) {
      await world.product.upload(campaignId, undefined, { key: member.key });
    }
    const page = await world.open('/operator', world.product.adminKey);
    await page.getByText('Busy, not stuck.').waitFor();
    const card = page.getByRole('article', { name: 'Transcription' });
    await card.getByText('of 1 in use').waitFor();
    await card.getByText(/^2 waiting$/).waitFor();

    await card.getByRole('button', { name: /^Change limit/ }).click();
    await card.getByLabel(/^New limit/).fill('3');
    await card.getByRole('button', { name: 'Set', exact: true }).click();
    const confirm = page.getByRole('button', { name: 'Set to 3' });
    await confirm.waitFor();
    const confirmedAt = Date.now();
    await confirm.click();
    await eventually(
      'all three are at the provider',
      async () => world.product.emulator.stats().asr.in_flight === 3,
    );
    expect(Date.now() - confirmedAt).toBeLessThan(1_000);
    await card.getByText('of 3 in use').waitFor();
    await card.getByText('an operator, here').waitFor();
    await page.getByText('Working, nobody waits.').waitFor();

    await card.getByRole('button', { name: /^Remove override/ }).click();
    await page.getByRole('button', { name: 'Remove override', exact: true }).click();
    await card.getByText('of 1 in use').waitFor();
    await page.context().close();
  });

  it('lets an operator change the caps of the fleet and of one team, and take that back', async () => {
    const { product } = world;
    product.emulator.script({ rules: [{ match: { kind: 'llm' }, action: { hold: true } }] });
    const json = { prompt: 'A tavern by the sea' };
    await product.call('/api/generations', { json, key: member.key });
    await eventually('it runs', async () => product.emulator.stats().llm.in_flight === 1);
    const limits = async () => {
      const { caps } = await product.queue();
      return [
        caps.find(({ team_id }) => team_id === null)?.limit,
        caps.find(({ team_id }) => team_id === member.id)?.limit,
      ];
    };
    const before = await limits();
    const page = await world.open('/operator', product.adminKey);
    const table = page.getByRole('region', { name: 'Caps of fleet and teams' });
    const change = async (row: RegExp, limit: number) => {
      const cap = table.getByRole('row', { name: row });
      await cap.getByRole('button', { name: /^Change limit/ }).click();
      await cap.getByLabel(/^New limit/).fill(String(limit));
      await cap.getByRole('button', { name: 'Set', exact: true }).click();
      await page.getByRole('button', { name: `Set to ${limit}` }).click();
      await cap.getByRole('cell', { name: String(limit), exact: true }).waitFor();
      return cap;
    };
    const fleet = await change(/^Whole fleet/, 23);
    const team = await change(/^The Lantern Guild/, 7);
    expect(await limits()).toEqual([23, 7]);
    for (const cap of [fleet, team]) {
      await cap.getByRole('button', { name: /^Back to the default/ }).click();
      await page.getByRole('button', { name: 'Back to the default', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await eventually('both are as before', async () => String(await limits()) === String(before));
    await page.context().close();
  });

  it('keeps a member from the pages and the data of operators', async () => {
    const page = await world.open('/operator', member.key);
    const answers: Array<[string, number]> = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith('/api/admin')) answers.push([pathname, response.status()]);
    });
    for (const path of ['/operator', '/operator/usage', '/operator/teams']) {
      await page.goto(world.door.url + path);
      await page.getByRole('heading', { name: 'This page is for operators' }).waitFor();
    }
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.every(([, status]) => status === 403)).toBe(true);
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()).toEqual([
      'Campaigns',
      'Usage',
    ]);
    await page.context().close();
  });

  it('recovers by itself when a killed api comes back', async () => {
    const page = await world.open(`/campaigns/${await newCampaign()}`, member.key);
    await page.getByText('No sessions yet').waitFor();
    await page.getByLabel('Recordings to upload').waitFor({ state: 'attached' });
    await world.killApi();
    await page.getByText('Questline does not answer.').waitFor({ timeout: 45_000 });
    expect(await page.getByRole('heading', { name: 'Sessions' }).isVisible()).toBe(true);
    await world.startApi();
    await page.getByText('Questline is back.').waitFor();
    await page.getByText('Questline does not answer.').waitFor({ state: 'detached' });
    await page.setInputFiles('input[type=file]', THREE.slice(0, 1));
    await page.getByRole('link', { name: /01 the gate/ }).waitFor();
    await page.context().close();
  });

  it('cancels an upload half way, and nothing of it stays', async () => {
    const campaignId = await newCampaign();
    const page = await world.open(`/campaigns/${campaignId}`, member.key);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 20_000,
    });
    await page.setInputFiles('input[type=file]', THREE.slice(0, 1));
    await page.getByText(/^[1-9]\d? % of/).waitFor();
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByText('Cancelled; nothing was kept').waitFor();
    const { body } = await world.product.call<{ items: unknown[] }>(
      `/api/sessions?campaign_id=${campaignId}`,
      {
        key: member.key,
      },
    );
    expect(body.items).toEqual([]);
    await page.context().close();
  });

  it('keeps the key in this tab alone, and forgets it on signing out', async () => {
    const page = await world.open('/');
    await page.getByLabel('API key').fill('ql_nobody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not known here.').waitFor();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await page.getByLabel('API key').fill(member.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => address.includes(member.key))).toEqual([]);
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, document.cookie, location.href])',
    );
    expect(kept).not.toContain(member.key);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(member.key);
    await page.context().close();
  });

  it('is usable by keyboard alone: sign in, make a campaign, rename it, leave a dialog', async () => {
    const page = await world.open('/');
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const tabTo = async (name: RegExp) => {
      for (let tabs = 0; tabs < 40; tabs += 1) {
        await press('Tab');
        const text = await page.evaluate<string>(
          `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`,
        );
        if (name.test(text.trim())) return;
      }
      throw new Error(`No tab stop is called ${name}`);
    };
    await press('Tab');
    await page.keyboard.type(member.key);
    await press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New campaign' }).waitFor();
    await tabTo(/^New campaign/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Ashes of Venn');
    await press('Enter');
    await page.getByRole('heading', { name: 'Ashes of Venn', level: 1 }).waitFor();
    await tabTo(/^Rename/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement?.textContent')).toContain('Rename');
    await page.context().close();
  });
});
