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
  'drop-place',
  'set-limit',
  'sweep-slots',
  'confirm-offer',
  'note-prediction',
  'view-outlook',
  'view-snapshot',
  'view-caps',
  'view-places',
  'view-held',
] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** One verb in both its forms. */
export interface SlotScript {
  /** Its function in the library. */
  readonly functionName: string;
  /** Complete by itself, for a server without functions. */
  readonly body: string;
  readonly sha: string;
}

/**
 * The scripts as one library of Redis functions: its Lua functions are made once, when it is loaded, where a script
 * makes all of its own anew at each call, which is half of its time.
 */
export interface SlotLibrary {
  /** Contains a digest of the text, so that processes of two releases never call each other's. */
  readonly name: string;
  readonly body: string;
  readonly scripts: Readonly<Record<ScriptName, SlotScript>>;
}

/** Reads every script from a folder, and its preludes (`_1-….lua`, `_2-….lua`, …); `settings` comes before those. */
export function loadLibrary(settings: string, folder: string = LUA_FOLDER): SlotLibrary {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const preludes = readdirSync(folder)
    .filter((file) => file.startsWith('_'))
    .sort()
    .map(read);
  const shared = [settings, ...preludes].join('\n');
  const verbs = SCRIPT_NAMES.map((name) => ({ name, text: read(`${name}.lua`) }));
  const name = `questline_slots_${digest([shared, ...verbs.map(({ text }) => text)].join('\n')).slice(0, 16)}`;
  const scripts = verbs.map((verb) => {
    const body = [shared, 'begin(KEYS, ARGV)', verb.text].join('\n');
    const functionName = `${name}_${verb.name.replaceAll('-', '_')}`;
    return { ...verb, functionName, body, sha: digest(body) };
  });
  return {
    name,
    body: [`#!lua name=${name}`, shared, ...scripts.map(toFunction)].join('\n'),
    scripts: Object.fromEntries(
      scripts.map(({ name: verb, functionName, body, sha }) => [verb, { functionName, body, sha }]),
    ) as Record<ScriptName, SlotScript>,
  };
}

/** `allow-oom`: a full Redis must not keep slots from being given back; what asks for them is a few hundred bytes. */
function toFunction({ functionName, text }: { functionName: string; text: string }): string {
  return [
    `redis.register_function{ function_name = '${functionName}', flags = { 'allow-oom' },`,
    'callback = function(KEYS, ARGV)',
    'begin(KEYS, ARGV)',
    text,
    'end }',
  ].join('\n');
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
