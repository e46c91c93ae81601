import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StoreBinaryMissingError } from './embedded-errors';
import { isRoot } from './unprivileged-user';

const PROGRAM = 'redis-server';
const DEBIAN_PACKAGE = 'redis-server';
const INSTALL_ATTEMPTS = 3;

/**
 * Path of `redis-server`: from PATH, else installed with apt-get when we are root on a Debian-like machine. No npm
 * package brings a real Redis that works offline.
 *
 * @throws StoreBinaryMissingError with what to install, when it is neither there nor installable
 */
export function prepareRedisBinary(say: (line: string) => void): string {
  const found = findOnPath(PROGRAM);
  if (found !== undefined) return found;
  if (!isRoot() || findOnPath('apt-get') === undefined) throw new StoreBinaryMissingError(missingMessage());

  say(`${PROGRAM} is not on this machine: installing the Debian package ${DEBIAN_PACKAGE} with apt-get`);
  return installFromDebian();
}

function installFromDebian(): string {
  let lastOutput = '';
  for (let attempt = 1; attempt <= INSTALL_ATTEMPTS; attempt += 1) {
    // A failed update, for instance while another start holds its lock, may leave lists that are good enough.
    aptGet('update');
    lastOutput = aptGet('install', '-y', '--no-install-recommends', DEBIAN_PACKAGE);
    const installed = findOnPath(PROGRAM);
    if (installed !== undefined) {
      retireSystemService();
      return installed;
    }
  }
  throw new StoreBinaryMissingError(`${missingMessage()}\napt-get said:\n${lastOutput}`);
}

/** What it said, for the message should the program be missing afterwards: that decides, not the exit status. */
function aptGet(...args: string[]): string {
  const { stdout, stderr } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  return `${stdout}\n${stderr}`.trim().slice(-1_000);
}

/**
 * The package starts a system service of its own on port 6379. It came with our install (there was no Redis
 * before), so we take it away again; ours runs as our child.
 */
function retireSystemService(): void {
  if (existsSync('/run/systemd/system')) {
    spawnSync('systemctl', ['disable', '--now', 'redis-server'], { stdio: 'ignore' });
    return;
  }
  if (!existsSync('/etc/init.d/redis-server')) return;
  spawnSync('/etc/init.d/redis-server', ['stop'], { stdio: 'ignore' });
  spawnSync('update-rc.d', ['redis-server', 'disable'], { stdio: 'ignore' });
}

function findOnPath(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function missingMessage(): string {
  return [
    `Questline needs ${PROGRAM}, which is not on PATH. Either`,
    `  install it:        sudo apt-get install ${DEBIAN_PACKAGE}   (macOS: brew install redis)`,
    '  or use a container: docker compose up -d redis, and set REDIS_URL=redis://127.0.0.1:6379',
  ].join('\n');
}
