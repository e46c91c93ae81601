import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPortFree } from './embedded/free-port';

/** The emulator as a child of ours: it ends with us, also when we are killed, since its channel closes then. */
export class EmulatedProviders {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /**
   * With a data folder it comes up where it was the last time, if it can: a provider that moves leaves the queue before
   * its old address behind.
   * @throws Error when it does not come up.
   */
  static async start(
    env: Readonly<Record<string, string>> = {},
    dataFolder?: string,
  ): Promise<EmulatedProviders> {
    if (dataFolder === undefined) return this.fork(env);
    const note = join(dataFolder, 'emulator-port');
    const last = Number(await readFile(note, 'utf8').catch(() => ''));
    const port = (await isPortFree(last)) ? last : 0;
    const started = await this.fork({ PORT: String(port), ...env });
    await writeFile(note, `${new URL(started.url).port}\n`);
    return started;
  }

  private static async fork(env: Readonly<Record<string, string>>): Promise<EmulatedProviders> {
    const child = fork(join(__dirname, '../../emulator/src/main.js'), {
      env: { ...process.env, PORT: '0', HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    return new EmulatedProviders(child, await listeningUrl(child));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [url] = /http:\/\/\S+/.exec(said) ?? [];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The emulator did not start (exit status ${code})`)));
  });
}
