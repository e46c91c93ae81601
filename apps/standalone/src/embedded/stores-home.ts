import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openSharedFolder } from './shared-folder';
import {
  canEnter,
  findUnprivilegedUser,
  findUserById,
  isRoot,
  type UnprivilegedUser,
} from './unprivileged-user';

/** Others may pass through to what is theirs inside, but not look around. */
const PASS_THROUGH = 0o711;

/** Where the stores keep their data, and whom Postgres runs as there. */
export interface StoresHome {
  readonly folder: string;
  readonly postgresFolder: string;
  /** Only when we are root. */
  readonly postgresUser: UnprivilegedUser | undefined;
  readonly durable: boolean;
}

/**
 * The home of data that outlives the run. Where Postgres's user cannot enter the folder, its data goes to a folder
 * under /var/tmp that belongs to this data folder, and we say so.
 */
export function openDurableHome(dataFolder: string, say: (line: string) => void): StoresHome {
  const folder = makeFolder(resolve(dataFolder));
  const local = join(folder, 'postgres');
  if (!isRoot()) return { folder, postgresFolder: local, postgresUser: undefined, durable: true };

  const postgresUser = findOwner(local) ?? findUnprivilegedUser();
  if (canEnter(postgresUser, folder)) return { folder, postgresFolder: local, postgresUser, durable: true };

  const digest = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 12);
  const postgresFolder = join(openSharedFolder(), `data-${digest}`);
  say(`Postgres runs as ${postgresUser.name}, who cannot enter ${folder}: its data is in ${postgresFolder}`);
  return { folder, postgresFolder, postgresUser, durable: true };
}

/** A home of this run only. */
export function openTemporaryHome(): StoresHome {
  const postgresUser = isRoot() ? findUnprivilegedUser() : undefined;
  const folder = makeTemporaryFolder(postgresUser);
  return { folder, postgresFolder: join(folder, 'postgres'), postgresUser, durable: false };
}

function makeFolder(folder: string): string {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, PASS_THROUGH);
  }
  return folder;
}

/** TMPDIR may lie in somebody's home. */
function makeTemporaryFolder(user: UnprivilegedUser | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'questline-'));
  if (user === undefined) return folder;
  chmodSync(folder, PASS_THROUGH);
  if (canEnter(user, folder)) return folder;
  rmSync(folder, { recursive: true });
  const reachable = mkdtempSync(join(openSharedFolder(), 'run-'));
  chmodSync(reachable, PASS_THROUGH);
  return reachable;
}

/** Whom the data of an earlier run belongs to: Postgres opens only what is its user's own. */
function findOwner(postgresFolder: string): UnprivilegedUser | undefined {
  const data = statSync(join(postgresFolder, 'data'), { throwIfNoEntry: false });
  return data === undefined || data.uid === 0 ? undefined : findUserById(data.uid);
}
