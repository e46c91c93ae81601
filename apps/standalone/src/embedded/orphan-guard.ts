import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';

const SCRIPT = join(__dirname, 'orphan-guard.sh');

/**
 * A small shell process that outlives us and stops our servers when we could not: after a `kill -9` nothing of
 * ours runs any more, but the kernel closes our end of the guard's standard input, and the guard sees that.
 */
export class OrphanGuard {
  private constructor(private readonly shell: ChildProcess) {}

  /** Starts before the first server. A temporary folder is removed with the servers of a killed run. */
  static start(temporaryFolder?: string): OrphanGuard {
    const shell = spawn('/bin/sh', [SCRIPT, temporaryFolder ?? ''], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // A guard that somebody killed protects no more; that is no reason to end a run which works.
    shell.on('error', () => undefined);
    shell.stdin.on('error', () => undefined);
    shell.unref();
    (shell.stdin as unknown as Socket).unref();
    return new OrphanGuard(shell);
  }

  get pid(): number | undefined {
    return this.shell.pid;
  }

  watch(pid: number, signal: 'INT' | 'TERM'): void {
    this.shell.stdin?.write(`watch ${pid} ${signal}\n`);
  }

  forget(pid: number): void {
    this.shell.stdin?.write(`forget ${pid}\n`);
  }

  /** Ends the guard and waits until it is gone; it stops whatever it still watches. */
  async dismiss(): Promise<void> {
    if (this.shell.pid === undefined || this.shell.exitCode !== null || this.shell.signalCode !== null)
      return;
    const exited = once(this.shell, 'exit');
    this.shell.ref();
    this.shell.stdin?.end();
    await exited;
  }
}
