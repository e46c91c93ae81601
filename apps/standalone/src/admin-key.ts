import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The admin key of a standalone installation: made once, kept beside its data for its owner alone. */
export async function keepAdminKey(dataFolder: string): Promise<string> {
  const path = join(dataFolder, 'admin-key');
  await mkdir(dataFolder, { recursive: true });
  try {
    // Fails when there is one already, so that two first starts cannot each make their own.
    await writeFile(path, `${newAdminKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}

export function newAdminKey(): string {
  return `admin_${randomBytes(24).toString('base64url')}`;
}
