import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { problemCodes } from '@app/http';
import express from 'express';
import { serveConsole } from './console-files';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const DOCS = join(__dirname, '../../../docs/errors');

describe('serveConsole', () => {
  async function setup() {
    const root = mkdtempSync(join(tmpdir(), 'questline-console-'));
    const folder = join(root, 'dist/apps/console');
    mkdirSync(join(folder, 'assets'), { recursive: true });
    mkdirSync(join(root, 'docs/errors'), { recursive: true });
    writeFileSync(join(root, 'docs/errors/not_found.md'), '# Not found\n\nIt is <b>gone</b>.\n');
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>');
    writeFileSync(join(folder, 'assets/index-abc.js'), 'export {};');
    writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const app = express();
    serveConsole(app as unknown as NestExpressApplication, root);
    app.use((_, response) => void response.status(418).send('the api'));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      get: (path: string, headers: Record<string, string> = BROWSER, method = 'GET') =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers, method }),
      close: async () => {
        server.close();
        await once(server, 'close');
        rmSync(root, { recursive: true });
      },
    };
  }

  it.each(['/', '/campaigns/x', '/sessions/x', '/usage', '/operator', '/operator/usage', '/operator/teams'])(
    'answers the console at %s, fresh each time and under a policy without exceptions',
    async (path) => {
      const { get, close } = await setup();
      const response = await get(path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(await response.text()).toContain('<title>console</title>');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      await close();
    },
  );

  it.each([
    '/api',
    '/api/x',
    '/docs',
    '/docs/x',
    '/docs-json',
    '/health/live',
    '/metrics',
    '/queues',
    '/queues/a',
  ])('leaves %s to the API, for a browser too', async (path) => {
    const { get, close } = await setup();
    const response = await get(path);
    expect(response.status).toBe(418);
    expect(response.headers.get('content-security-policy')).toBeNull();
    await close();
  });

  it('shows a browser its own page for an unknown path, with status 404, and leaves programs to the API', async () => {
    const { get, close } = await setup();
    expect((await get('/nonsense')).status).toBe(404);
    expect((await get('/nonsense', { Accept: '*/*' })).status).toBe(418);
    expect((await get('/operator', BROWSER, 'POST')).status).toBe(418);
    expect((await get('/assets/gone.js')).status).toBe(404);
    await close();
  });

  it('lets assets be kept for ever, since their names change with them', async () => {
    const { get, close } = await setup();
    expect((await get('/assets/index-abc.js')).headers.get('cache-control')).toMatch(
      /max-age=31536000, immutable/,
    );
    expect((await get('/favicon.svg')).headers.get('cache-control')).toMatch(/max-age=300/);
    await close();
  });

  it('has a page per error code, written as text only, and none for what is no code', async () => {
    const { get, close } = await setup();
    const page = await get('/docs/errors/not_found', { Accept: '*/*' });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('It is &lt;b&gt;gone&lt;/b&gt;.');
    for (const path of [
      '/docs/errors/nonsense',
      '/docs/errors/..%2f..%2fpackage',
      '/docs/errors/constructor',
    ]) {
      expect((await get(path)).status).toBe(418);
    }
    await close();
  });

  it('has a text for every code there is, and none too many', () => {
    const written = readdirSync(DOCS).map((name) => name.replace(/\.md$/, ''));
    expect(written.sort()).toEqual(problemCodes().sort());
  });
});
