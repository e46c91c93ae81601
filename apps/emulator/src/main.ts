import { Emulator } from './emulator';
import { readEmulatorSettings } from './emulator-settings';

/** The emulator as a process: prints one line with its URL when it listens, stops on SIGTERM and SIGINT. */
async function main(): Promise<void> {
  // eslint-disable-next-line no-restricted-properties -- it starts in an instant, without the product's configuration
  const { port, host, ...settings } = readEmulatorSettings(process.env);
  const emulator = await new Emulator(settings).start(port, host);
  const stop = (): void => void emulator.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // Forked by another process of ours: its death, even by kill -9, closes the channel.
  process.once('disconnect', stop);
  process.stdout.write(`Emulated providers (no model runs here) listen on ${emulator.url}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
