import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmulatedProviders as Providers } from '../../apps/standalone/src/emulated-providers';
import { ensureBuild } from '../support/built-process';

describe('the emulator of npm start', () => {
  let dataFolder: string;
  let EmulatedProviders: typeof Providers;

  beforeAll(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'questline-emulator-'));
    // It starts a built program, so it is taken from the build itself.
    await ensureBuild();
    const built = '../../dist/apps/standalone/src/emulated-providers.js';
    ({ EmulatedProviders } = (await import(built)) as { EmulatedProviders: typeof Providers });
  });

  afterAll(() => rm(dataFolder, { recursive: true, force: true }));

  it('comes up where it was, so that what waits for it is not left behind; elsewhere when it must', async () => {
    const first = await EmulatedProviders.start({}, dataFolder);
    await first.stop();
    const second = await EmulatedProviders.start({}, dataFolder);
    expect(second.url).toBe(first.url);
    await second.stop();

    const stranger = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(stranger, 'listening');
    const third = await EmulatedProviders.start({}, dataFolder);
    expect(third.url).not.toBe(first.url);
    expect((await fetch(`${third.url}/emulator/stats`)).status).toBe(200);
    await third.stop();
    stranger.close();
  });
});
