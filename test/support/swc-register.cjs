/**
 * `node -r <this file> program.ts` runs a TypeScript program of ours as it stands, for tests that need a process of
 * their own (to kill it, for instance) and must not depend on a build.
 */
const { transformFileSync } = require('@swc/core');
const { join } = require('node:path');

const root = join(__dirname, '..', '..');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    cwd: root,
    configFile: join(root, '.swcrc'),
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};

// As in the build, where prices.js stands before prices.json: Node tries the endings in this order.
for (const later of ['.json', '.node']) {
  const load = require.extensions[later];
  delete require.extensions[later];
  require.extensions[later] = load;
}
