import { Emulator, type EmulatorSettings } from '../apps/emulator/src';

/** The provider in a process of its own, as in life: it must not share a core with the product's event loop. */
async function main(settings: Partial<EmulatorSettings>): Promise<void> {
  const emulator = await new Emulator(settings).start();
  process.send?.(emulator.url);
  // Its starter is gone, or has seen enough.
  process.once('disconnect', () => process.exit(0));
}

main(JSON.parse(process.argv[2] ?? '{}') as Partial<EmulatorSettings>).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
