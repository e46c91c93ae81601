import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LUA_FOLDER, loadLibrary, SCRIPT_NAMES } from './slot-scripts';
import { SlotStore } from './slot-store';

const files = readdirSync(LUA_FOLDER).filter((file) => !file.startsWith('_'));
const preludes = readdirSync(LUA_FOLDER).filter((file) => file.startsWith('_'));
const read = (file: string) => readFileSync(join(LUA_FOLDER, file), 'utf8');

/** The comment at the top, and what comes after it. */
function parts(text: string): { header: string; body: string } {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  return { header: lines.slice(0, end).join('\n'), body: lines.slice(end).join('\n') };
}

function named(text: string, what: 'KEYS' | 'ARGV'): string[] {
  return [
    ...new Set([...text.matchAll(new RegExp(`${what}\\[(\\d+)\\]`, 'g'))].map((match) => match[1]!)),
  ].sort();
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('the Lua scripts', () => {
  it('are the files of the folder, each with a method of the same name', () => {
    expect(files.map((file) => file.replace('.lua', '')).sort()).toEqual([...SCRIPT_NAMES].sort());
    for (const name of SCRIPT_NAMES)
      expect(Object.keys(Object.getOwnPropertyDescriptors(SlotStore.prototype))).toContain(camel(name));
  });

  it.each(files)(
    '%s has a header that names its purpose, its keys, its arguments and its replies',
    (file) => {
      const { header, body } = parts(read(file));
      expect(header).toMatch(new RegExp(`^-- ${file.replace('.lua', '')}: \\S`));
      expect(header).toMatch(/^-- Returns {2}/m);
      const prelude = preludes.map(read).join('\n');
      expect(named(header, 'KEYS')).toEqual(named(prelude + body, 'KEYS'));
      expect(named(header, 'ARGV')).toEqual(named(prelude + body, 'ARGV'));
      const replies = [...body.matchAll(/return \{ (?:\w[^']*(?:and|or) )?'(\w+)'/g)].map(
        (match) => match[1]!,
      );
      for (const reply of replies) expect(header).toContain(`'${reply}'`);
    },
  );

  it('build keys in the first prelude only', () => {
    for (const file of [...files, ...preludes.filter((name) => name !== '_1-store.lua')]) {
      expect(parts(read(file)).body).not.toMatch(/root \.\./);
    }
  });

  it('never use what cannot be known beforehand: KEYS, SCAN, a clock other than Redis’s', () => {
    const { body, scripts } = loadLibrary('');
    for (const text of [body, ...Object.values(scripts).map((script) => script.body)])
      expect(text).not.toMatch(/'(KEYS|SCAN|SSCAN|HSCAN|ZSCAN)'|os\.|math\.random/);
  });
});
