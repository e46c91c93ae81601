import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['apps', 'libs', 'migrations'];
const FILES = ['.swcrc', 'package-lock.json'];

/**
 * One text for the state of all sources: every path with its size and time. Unlike "newer than the build" it also
 * notices a deleted file and one that was put back from an older copy.
 */
export function fingerprintSources(root) {
  const hash = createHash('sha256');
  for (const file of [...FILES, ...FOLDERS.flatMap((folder) => listFiles(root, folder))].sort()) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    if (stat !== undefined) hash.update(`${file}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function listFiles(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
