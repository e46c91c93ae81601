import { unknownVariables } from '@app/config';
import { keepAdminKey } from './admin-key';
import { onNpmGone } from './embedded/npm-watch';
import { Standalone } from './standalone';

const DATA_FOLDER = './.data';

/** `npm start`: stays up until SIGINT or SIGTERM, data under ./.data. */
async function main(): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  for (const name of unknownVariables()) say(`Warning: nothing reads ${name}; is it misspelt?`);

  const given = process.env.QB_ADMIN_API_KEY?.trim();
  const adminKey = given || (await keepAdminKey(DATA_FOLDER));
  const standalone = await Standalone.start({
    env: { QB_LOG_LEVEL: 'warn', ...process.env },
    adminKey,
    dataFolder: DATA_FOLDER,
    say,
  });

  say(`Questline is up: ${standalone.url}`);
  say(`  API docs    ${standalone.url}/docs`);
  say(`  health      ${standalone.url}/health/ready`);
  say(`  admin queue ${standalone.url}/api/admin/ai/queue`);
  if (standalone.emulatorUrl) {
    say(
      `  emulator    ${standalone.emulatorUrl} stands in for: ${standalone.emulated.join(', ')} (no model runs)`,
    );
  }
  // On the terminal alone: a key that was piped into a log is a leaked key.
  if (!given)
    say(process.stdout.isTTY ? `  admin key   ${adminKey}` : `  admin key   in ${DATA_FOLDER}/admin-key`);

  let stopping = false;
  const stop = (status: number): void => {
    if (stopping) process.exit(1);
    stopping = true;
    standalone.stop().then(
      () => process.exit(status),
      (error: unknown) => {
        process.stderr.write(`Stopped badly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => stop(0));
  process.on('SIGTERM', () => stop(0));
  onNpmGone(() => stop(0));
  void standalone.crashed.then((what) => {
    process.stderr.write(`${what}; stopping\n`);
    stop(1);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
