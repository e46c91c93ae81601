import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutants } from './mutants.mjs';

// npm run test:mutants [-- <part of a promise, file or test> …]
// Copies the libraries aside, breaks them one line at a time and expects the named test to fail each time.

const root = fileURLToPath(new URL('../..', import.meta.url));
const AT_ONCE = Math.min(2, availableParallelism());
const LIMIT_MS = 120_000;
const CONFIG = `module.exports = {
  testEnvironment: 'node', transform: { '^.+\\\\.ts$': ['@swc/jest'] }, forceExit: true, testTimeout: 30_000,
  moduleNameMapper: { '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts' },
  testRegex: '\\\\.(spec|int-spec)\\\\.ts$',
};`;

const wanted = process.argv.slice(2);
const chosen = mutants.filter(
  (mutant) => wanted.length === 0 || wanted.some((word) => JSON.stringify(mutant).includes(word)),
);

function copyAside() {
  const folder = mkdtempSync(join(tmpdir(), 'questline-mutants-'));
  for (const path of [
    'libs',
    'apps/standalone/src',
    'test/properties',
    'test/support',
    '.swcrc',
    'package.json',
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'jest.config.js'), CONFIG);
  return folder;
}

function specFiles(folder, path = '') {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const name = join(path, entry.name);
    if (entry.isDirectory()) return specFiles(folder, name);
    return /spec\.ts$/.test(name) ? [name] : [];
  });
}

/** The files with a test of that name; the sentence may be broken over template text, so its beginning counts. */
export function specsOf(test, folder = root) {
  const files = [
    ...specFiles(join(folder, 'libs/provider-slots/src')).map((file) =>
      join('libs/provider-slots/src', file),
    ),
    'test/properties/slots.int-spec.ts',
  ];
  return files.filter((file) => readFileSync(join(folder, file), 'utf8').includes(test));
}

async function startRedis() {
  const url = process.env['QB_TEST_REDIS_URL'];
  if (url) return { url, stop: () => undefined };
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
    stdio: 'ignore',
  });
  redis.on('error', () => {
    process.stderr.write('redis-server is not on PATH; set QB_TEST_REDIS_URL instead\n');
    process.exit(1);
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => redis.kill() };
}

function runTests(folder, redisUrl, files, test) {
  return new Promise((resolve) => {
    const pattern = test.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const args = [
      join(root, 'node_modules/jest/bin/jest.js'),
      '--bail',
      '-i',
      '-t',
      pattern,
      '--runTestsByPath',
      ...files,
    ];
    const env = { ...process.env, QB_TEST_REDIS_URL: redisUrl, QB_PROPERTY_SHRINK: '0' };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk) => (output += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve({ passed: code === 0, output });
    });
  });
}

async function judge(mutant, folder, redisUrl) {
  const path = join(folder, 'libs/provider-slots/src', mutant.file);
  const source = readFileSync(path, 'utf8');
  if (source.split(mutant.find).length !== 2) return { verdict: 'DOES NOT APPLY', output: '' };
  const files = specsOf(mutant.test, folder);
  if (files.length === 0) return { verdict: 'NO SUCH TEST', output: '' };
  writeFileSync(
    path,
    source.replace(mutant.find, () => mutant.replace),
  );
  try {
    const { passed, output } = await runTests(folder, redisUrl, files, mutant.test);
    if (passed) return { verdict: 'SURVIVED', output };
    const failed = /● (.+ › .+)/.exec(output);
    return { verdict: 'killed', by: failed ? failed[1] : 'time-out', output };
  } finally {
    writeFileSync(path, source);
  }
}

async function main() {
  const redis = await startRedis();
  const folders = Array.from({ length: AT_ONCE }, copyAside);
  const startedAt = Date.now();
  try {
    const control = [...new Set(chosen.map(({ test }) => test))];
    const files = [...new Set(control.flatMap((test) => specsOf(test, folders[0])))];
    const unbroken = await runTests(folders[0], redis.url, files, '');
    if (!unbroken.passed) {
      process.stdout.write(`The tests fail without any mutant:\n${unbroken.output}\n`);
      process.exitCode = 1;
      return;
    }
    process.stdout.write(`${files.length} test files pass unbroken\n`);
    const queue = chosen.map((mutant, index) => ({ mutant, index }));
    const survivors = [];
    await Promise.all(
      folders.map(async (folder) => {
        for (let next = queue.shift(); next; next = queue.shift()) {
          const { mutant, index } = next;
          const { verdict, by } = await judge(mutant, folder, redis.url);
          if (verdict !== 'killed') survivors.push(mutant);
          const fault = `${mutant.file}: ${mutant.find.replace(/\s+/g, ' ').slice(0, 60)}`;
          process.stdout.write(
            `${verdict.padEnd(8)} ${String(index + 1).padStart(2)} ${mutant.promise.padEnd(3)} ${fault}\n`,
          );
          process.stdout.write(`            ${by ?? `expected: ${mutant.test}`}\n`);
        }
      }),
    );
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    process.stdout.write(
      `\n${chosen.length - survivors.length} of ${chosen.length} killed in ${seconds} s\n`,
    );
    process.exitCode = survivors.length > 0 ? 1 : 0;
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    redis.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
