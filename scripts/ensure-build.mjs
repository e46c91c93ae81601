import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, STAMP } from './build.mjs';
import { root, withBuildTurn } from './build-turn.mjs';
import { fingerprintSources } from './source-fingerprint.mjs';

// Before `npm start`, `demo`, `infra` and `migrate`: builds when the build is missing or older than the sources.

function isCurrent() {
  try {
    return readFileSync(join(root, 'dist', STAMP), 'utf8') === fingerprintSources(root);
  } catch {
    return false;
  }
}

try {
  if (!isCurrent()) {
    await withBuildTurn(() => {
      // Another process may have built while we waited for our turn.
      if (isCurrent()) return;
      process.stderr.write('Compiling…\n');
      build();
    });
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
