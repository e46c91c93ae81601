import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintSources } from './source-fingerprint.mjs';
import { isAlive, root, withBuildTurn } from './build-turn.mjs';

// `npm run build`: compiles into a draft folder and puts that in the place of dist, so that a failed build leaves
// the last good one, files of deleted sources do not stay, and nobody starts half a build.
export const STAMP = '.sources';

const SOURCES = ['apps', 'libs', 'migrations'];
/** The console is Vite's to build. */
const NOT_BUILT = ['**/*.spec.ts', '**/*.int-spec.ts', 'apps/console/**'];

/** @throws Error when it does not compile; what swc said is on the terminal then */
export function build() {
  // Taken before compiling: an edit meanwhile makes the build old, not the edit lost.
  const fingerprint = fingerprintSources(root);
  const draft = join(root, `dist.draft-${process.pid}`);
  for (const name of readdirSync(root))
    if (isLeftOver(name)) rmSync(join(root, name), { recursive: true, force: true });

  const swc = join(root, 'node_modules', '@swc', 'cli', 'bin', 'swc.js');
  const args = [
    ...SOURCES,
    '-d',
    draft,
    '--copy-files',
    '--config-file',
    '.swcrc',
    '--ignore',
    NOT_BUILT.join(','),
  ];
  const { status } = spawnSync(process.execPath, [swc, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The build failed; the reason stands above.');
  buildConsole(join(draft, 'apps', 'console'));

  writeFileSync(join(draft, STAMP), fingerprint);
  putInPlace(draft);
}

/** Of a build that was killed. */
function isLeftOver(name) {
  const [, pid] = /^dist\.(?:draft|retired)-(\d+)$/.exec(name) ?? [];
  return pid !== undefined && !isAlive(Number(pid));
}

/** Also right should two builds run at once after all: then the later one stays. */
function putInPlace(draft) {
  const dist = join(root, 'dist');
  const retired = join(root, `dist.retired-${process.pid}`);
  for (;;) {
    try {
      renameSync(dist, retired);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    try {
      renameSync(draft, dist);
      return;
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    } finally {
      rmSync(retired, { recursive: true, force: true });
    }
  }
}

/** The web console, as files that the API serves. */
function buildConsole(folder) {
  // A tree without the console, such as the tests build, has nothing for Vite.
  if (!existsSync(join(root, 'apps', 'console', 'index.html'))) return;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [
    'build',
    join(root, 'apps', 'console'),
    '--outDir',
    folder,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ];
  const { status } = spawnSync(process.execPath, [vite, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The build of the console failed; the reason stands above.');
}

if (process.argv[1] === import.meta.filename) {
  try {
    await withBuildTurn(build);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
