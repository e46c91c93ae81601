import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const LUA_FOLDER = join(__dirname, 'lua');

/** The scripts by their verbs; each name is also its file and its method of SlotStore. */
export const SCRIPT_NAMES = [
  'acquire-slot',
  'release-slot',
  'refuse-slot',
  'renew-leases',
  'reassert-lease',
  'disown-attempt',
  'leave-place',
  'set-limit',
  'sweep-slots',
  'confirm-offer',
  'note-prediction',
  'view-outlook',
  'view-snapshot',
  'view-places',
  'view-held',
  'drop-place',
] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];

export interface SlotScript {
  readonly body: string;
  readonly sha: string;
}

/** Reads every script from a folder, the preludes (`_1-….lua`, `_2-….lua`, …) put in front of each. */
export function loadScripts(folder: string = LUA_FOLDER): Readonly<Record<ScriptName, SlotScript>> {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const preludes = readdirSync(folder).filter((file) => file.startsWith('_'));
  const prelude = preludes.sort().map(read).join('\n');
  const scripts = SCRIPT_NAMES.map((name) => {
    const body = `${prelude}\n${read(`${name}.lua`)}`;
    return [name, { body, sha: createHash('sha1').update(body).digest('hex') }] as const;
  });
  return Object.fromEntries(scripts) as Record<ScriptName, SlotScript>;
}
