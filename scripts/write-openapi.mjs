import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';

// `npm run openapi:write`: docs/openapi.json from the controllers as built, and from it the types that the console
// is compiled against. With `--check` nothing is written, and a file that is not current fails.
const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');

const json = execFileSync(process.execPath, [join(root, 'dist/apps/api/src/print-openapi.js')], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const header =
  '// Written by `npm run openapi:write` from docs/openapi.json: change the controllers instead.\n\n';
const types = header + astToString(await openapiTypescript(JSON.parse(json)));

for (const [path, content] of [
  ['docs/openapi.json', json],
  ['apps/console/src/api/schema.d.ts', types],
]) {
  if (!check) writeFileSync(join(root, path), content);
  else if (readIfThere(path) !== content) {
    console.error(`${path} is not current: run npm run openapi:write and commit what it writes`);
    process.exitCode = 1;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}
