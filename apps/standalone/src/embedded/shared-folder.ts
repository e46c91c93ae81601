import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedStoresError } from './embedded-errors';

/** Kept over reboots and entered by every user, unlike a home folder or a private TMPDIR. */
const WORLD_TEMPORARY_FOLDER = '/var/tmp';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Our folder in /var/tmp, for what an unprivileged user must reach although our own folders are closed to it:
 * the programs of Postgres and its data. One per user of this machine, shared by all clones.
 *
 * @throws EmbeddedStoresError when somebody else made a folder of that name: what lies in it would be run.
 */
export function openSharedFolder(): string {
  const ownUid = process.getuid?.() ?? 0;
  const folder = join(WORLD_TEMPORARY_FOLDER, `questline-${ownUid}`);
  try {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== ownUid || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new EmbeddedStoresError(
      `${folder} was not made by this user, or others may write to it. Remove it.`,
    );
  }
  return folder;
}
