import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../..');
const run = promisify(execFile);

describe('ensure-build', () => {
  let project: string;

  afterEach(() => rmSync(project, { recursive: true, force: true }));

  /** A project with our scripts and compiler settings and two small sources. */
  function setup(): { source: (name: string) => string; built: (name: string) => string } {
    project = mkdtempSync(join(tmpdir(), 'questline-build-'));
    for (const name of ['scripts', '.swcrc'])
      cpSync(join(ROOT, name), join(project, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    for (const folder of ['apps', 'libs', 'migrations']) {
      mkdirSync(join(project, folder));
      writeFileSync(join(project, folder, 'one.ts'), 'export const answer: number = 1;');
    }
    return {
      source: (name) => join(project, name),
      built: (name) => join(project, 'dist', name),
    };
  }

  /** What it said; rejects when it fails. */
  async function ensureBuild(): Promise<string> {
    const { stderr } = await run(process.execPath, [join(project, 'scripts', 'ensure-build.mjs')], {
      cwd: tmpdir(),
    });
    return stderr;
  }

  it('builds once when several need it at the same time, and then not again', async () => {
    const { built } = setup();

    const said = await Promise.all([ensureBuild(), ensureBuild(), ensureBuild()]);

    expect(said.filter((text) => text.includes('Compiling'))).toHaveLength(1);
    expect(existsSync(built('apps/one.js'))).toBe(true);
    expect(await ensureBuild()).toBe('');
  });

  it('notices an edited, a new and a deleted source, and leaves nothing of the deleted one', async () => {
    const { source, built } = setup();
    writeFileSync(source('libs/script.lua'), 'return 1');
    await ensureBuild();
    expect(readFileSync(built('libs/script.lua'), 'utf8')).toBe('return 1');

    writeFileSync(source('libs/script.lua'), 'return 22');
    writeFileSync(source('libs/two.spec.ts'), 'export const tested = true;');
    rmSync(source('libs/one.ts'));

    expect(await ensureBuild()).toContain('Compiling');
    expect(readFileSync(built('libs/script.lua'), 'utf8')).toBe('return 22');
    expect([built('libs/one.js'), built('libs/two.spec.js')].filter(existsSync)).toEqual([]);
  });

  it('fails when a source does not compile, keeps the last good build and tries again', async () => {
    const { source, built } = setup();
    await ensureBuild();
    writeFileSync(source('apps/one.ts'), 'export const answer: = ;');

    await expect(ensureBuild()).rejects.toMatchObject({ code: 1 });
    expect(readFileSync(built('apps/one.js'), 'utf8')).toContain('answer');

    writeFileSync(source('apps/one.ts'), 'export const answer: number = 2;');
    await ensureBuild();
    expect(readFileSync(built('apps/one.js'), 'utf8')).toContain('answer = 2');
  });

  it('takes over the turn of a build that was killed', async () => {
    const { source, built } = setup();
    mkdirSync(source('dist.turn'));
    // Above the greatest pid of any Unix.
    writeFileSync(source('dist.turn/pid'), '99999999');

    await ensureBuild();

    expect(existsSync(built('apps/one.js'))).toBe(true);
    expect(existsSync(source('dist.turn'))).toBe(false);
  });
});
