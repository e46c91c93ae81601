import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';

// Starts what `npm run build` made, as an operator would: stores by `npm run infra`, then emulator, api and
// worker, and asks each for its health. A build that compiles and dies at its start must not pass.
const DEADLINE_MS = 60_000;
const children = [];

function start(name, command, args, env = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.output = '';
  child.stdout.on('data', (chunk) => (child.output += chunk));
  child.once('exit', (code) => {
    if (!child.expected) fail(`${name} ended with status ${code}\n${child.output}`);
  });
  children.push(child);
  return child;
}

async function waitFor(what, probe) {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}

async function expectReady(name, port) {
  const answer = await waitFor(`${name} is ready`, () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      (response) => response.ok && response.json(),
      () => undefined,
    ),
  );
  console.log(`${name}: ${answer.status} (${Object.keys(answer.details).join(', ')})`);
}

async function stopAll() {
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.expected = true;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
  void stopAll();
}

try {
  const infra = start('infra', process.execPath, ['dist/apps/standalone/src/infra.js', '--temporary']);
  const url = (name) => waitFor(name, () => new RegExp(`^${name}=(\\S+)$`, 'm').exec(infra.output)?.[1]);
  const [emulatorPort, apiPort, workerPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    DATABASE_URL: await url('DATABASE_URL'),
    REDIS_URL: await url('REDIS_URL'),
    HOST: '127.0.0.1',
    QB_ADMIN_API_KEY: 'a-key-for-this-check-alone',
    QB_ASR_BASE_URL: `http://127.0.0.1:${emulatorPort}`,
    QB_LLM_BASE_URL: `http://127.0.0.1:${emulatorPort}`,
  };
  start('emulator', process.execPath, ['dist/apps/emulator/src/main.js'], {
    PORT: emulatorPort,
    HOST: '127.0.0.1',
  });
  start('api', process.execPath, ['dist/apps/api/src/main.js'], { ...env, PORT: apiPort });
  start('worker', process.execPath, ['dist/apps/worker/src/main.js'], { ...env, PORT: workerPort });
  await expectReady('api', apiPort);
  await expectReady('worker', workerPort);
} catch (error) {
  fail(String(error));
} finally {
  await stopAll();
}
