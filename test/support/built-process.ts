import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OrphanGuard } from '../../apps/standalone/src/embedded/orphan-guard';
import { findFreePort } from '../../apps/standalone/src/embedded/free-port';
import { eventually } from './eventually';

const ROOT = join(__dirname, '../..');

/** Builds when the build is older than the sources. */
export async function ensureBuild(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/ensure-build.mjs')], { cwd: ROOT });
}

/** One of the built processes, started as an operator would, to be killed as only a test would. */
export class BuiltProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly lines: string[],
  ) {}

  /** Builds first when the build is older than the sources; resolves when the process says it is alive. */
  static async start(
    app: 'api' | 'worker',
    env: Readonly<Record<string, string>>,
    args: string[] = [],
  ): Promise<BuiltProcess> {
    await ensureBuild();
    const port = await findFreePort();
    const child = spawn(process.execPath, [join(ROOT, `dist/apps/${app}/src/main.js`), ...args], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOST: '127.0.0.1', ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // A test that failed before it stopped the process leaves it to the guard.
    if (child.pid !== undefined) OrphanGuard.start().watch(child.pid, 'TERM');
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const started = new BuiltProcess(child, `http://127.0.0.1:${port}`, lines);
    await eventually(
      `the ${app} is alive`,
      async () => {
        if (child.exitCode !== null) throw new Error(started.output);
        return (await fetch(`${started.url}/health/live`)).ok;
      },
      { withinMs: 30_000 },
    );
    return started;
  }

  get output(): string {
    return this.lines.join('');
  }

  /** Resident memory in bytes. */
  async residentBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  }

  /** Processor time used since its start, in ms. */
  async cpuMs(): Promise<number> {
    const stat = await readFile(`/proc/${this.child.pid}/stat`, 'utf8');
    // The program's name, in brackets, may hold blanks; user and system time follow in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Asks it to stop; resolves with its exit status. */
  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }
}
