import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const LUA_FOLDER = join(__dirname, 'lua');

/** How much of the preludes a script needs: making functions that it never calls costs it time at each call. */
const STORE = 1;
const QUEUE = 6;
const VIEW = 7;

/** The scripts by their verbs, each with the last prelude it needs; each name is also its file and its method of SlotStore. */
const PRELUDES_BY_SCRIPT = {
  'acquire-slot': QUEUE,
  'release-slot': QUEUE,
  'refuse-slot': QUEUE,
  'renew-leases': QUEUE,
  'reassert-lease': QUEUE,
  'disown-attempt': QUEUE,
  'leave-place': QUEUE,
  'drop-place': QUEUE,
  'set-limit': QUEUE,
  'sweep-slots': QUEUE,
  'confirm-offer': STORE,
  'note-prediction': STORE,
  'view-outlook': VIEW,
  'view-snapshot': VIEW,
  'view-caps': VIEW,
  'view-places': STORE,
  'view-held': STORE,
} as const;

export type ScriptName = keyof typeof PRELUDES_BY_SCRIPT;

export const SCRIPT_NAMES = Object.keys(PRELUDES_BY_SCRIPT) as ScriptName[];

export interface SlotScript {
  readonly body: string;
  readonly sha: string;
}

/** Reads every script from a folder, its preludes (`_1-….lua`, `_2-….lua`, …) put in front, and `first` before those. */
export function loadScripts(
  first: string,
  folder: string = LUA_FOLDER,
): Readonly<Record<ScriptName, SlotScript>> {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const preludes = readdirSync(folder)
    .filter((file) => file.startsWith('_'))
    .sort()
    .map(read);
  const scripts = SCRIPT_NAMES.map((name) => {
    const body = [first, ...preludes.slice(0, PRELUDES_BY_SCRIPT[name]), read(`${name}.lua`)].join('\n');
    return [name, { body, sha: createHash('sha1').update(body).digest('hex') }] as const;
  });
  return Object.fromEntries(scripts) as Record<ScriptName, SlotScript>;
}
