import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const APT = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];

/** The flags under which Debian's chromium neither needs a desktop nor talks to anybody by itself. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The path of a chromium, installed with apt-get when it is missing and we may.
 * @throws Error that says what to install
 */
export function ensureBrowser() {
  const given = process.env.QB_TEST_BROWSER;
  if (given) return given;
  const found = CANDIDATES.find((path) => existsSync(path));
  if (found) return found;
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!mayInstall) {
    throw new Error(
      'No chromium found: install the package "chromium", or name a browser in QB_TEST_BROWSER',
    );
  }
  process.stderr.write('Installing chromium with apt-get…\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', ...APT, 'chromium'],
  ]) {
    const { status } = spawnSync('apt-get', args, { env, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`apt-get ${args[0]} failed: install the package "chromium" by hand`);
  }
  return CANDIDATES[0];
}

if (process.argv[1] === import.meta.filename) {
  try {
    process.stdout.write(`${ensureBrowser()}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
