import { spawnSync } from 'node:child_process';
import { EmbeddedStoresError } from './embedded-errors';

/** A user of this machine that a server runs as when we are root: Postgres refuses to be root. */
export interface UnprivilegedUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Present on about every Unix. It must be a real one: initdb looks its own user id up and dies without a name. */
const CANDIDATES = ['nobody', 'daemon', 'www-data'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** @throws EmbeddedStoresError on a machine that has no user but root. */
export function findUnprivilegedUser(): UnprivilegedUser {
  for (const name of CANDIDATES) {
    const uid = askId('-u', name);
    const gid = askId('-g', name);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { name, uid, gid };
  }
  throw new EmbeddedStoresError(
    `Postgres does not run as root, and this machine has none of the users ${CANDIDATES.join(', ')} to run it as. ` +
      'Start as another user, or set DATABASE_URL.',
  );
}

/** The user behind an id, to run a server as the owner of the data it finds. */
export function findUserById(uid: number): UnprivilegedUser | undefined {
  const { stdout, status } = spawnSync('id', ['-un', String(uid)], { encoding: 'utf8' });
  const gid = askId('-g', String(uid));
  return status === 0 && gid !== undefined ? { name: stdout.trim(), uid, gid } : undefined;
}

/** Whether the user can enter the folder; tried as that user, because every folder above it counts. */
export function canEnter(user: UnprivilegedUser, folder: string): boolean {
  const { uid, gid } = user;
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { cwd: '/', uid, gid }).status === 0;
}

function askId(what: '-u' | '-g', name: string): number | undefined {
  const { stdout, status } = spawnSync('id', [what, name], { encoding: 'utf8' });
  const id = Number(stdout);
  return status === 0 && Number.isInteger(id) ? id : undefined;
}
