import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { OrphanGuard } from './orphan-guard';
import type { UnprivilegedUser } from './unprivileged-user';

export interface ServerCommand {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Standard output and error go here, so that no pipe ties the server to us. */
  readonly logPath: string;
  /** Whom it runs as; absent: as we do. */
  readonly user?: UnprivilegedUser;
  /** What asks this server to end in good order. */
  readonly stopSignal: 'INT' | 'TERM';
}

const STOP_DEADLINE_MS = 15_000;
const LOG_TAIL_CHARS = 2_000;

/**
 * What our servers get as environment. Nothing of ours: a LANG that names a missing locale kills initdb, and
 * PG* variables would move Postgres to another place.
 */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * One server as our child, in a session of its own so that a Ctrl-C reaches us first, and watched by the guard.
 * It does not keep us alive.
 */
export class ServerProcess {
  /** Settles once the server has ended, for whatever reason. */
  readonly exited: Promise<string>;
  private ended = false;

  private constructor(
    private readonly command: ServerCommand,
    private readonly child: ChildProcess,
    guard: OrphanGuard,
  ) {
    if (child.pid !== undefined) guard.watch(child.pid, command.stopSignal);
    this.exited = new Promise((resolve) => {
      const settle = (how: string): void => {
        this.ended = true;
        if (child.pid !== undefined) guard.forget(child.pid);
        resolve(how);
      };
      child.once('error', (error) => settle(error.message));
      child.once('exit', (code, signal) =>
        settle(signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`),
      );
    });
  }

  static start(command: ServerCommand, guard: OrphanGuard): ServerProcess {
    const log = openSync(command.logPath, 'w', 0o600);
    try {
      const child = spawn(command.program, command.args, {
        cwd: '/',
        detached: true,
        stdio: ['ignore', log, log],
        env: SERVER_ENVIRONMENT,
        uid: command.user?.uid,
        gid: command.user?.gid,
      });
      child.unref();
      return new ServerProcess(command, child, guard);
    } finally {
      closeSync(log);
    }
  }

  /** Undefined when the program could not be run at all. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  /** The end of what the server said, for an error message. */
  logTail(): string {
    try {
      return readFileSync(this.command.logPath, 'utf8').trim().slice(-LOG_TAIL_CHARS);
    } catch {
      return '';
    }
  }

  /** Asks the server to end, insists after 15 s, and resolves when it is gone. */
  async stop(signal: NodeJS.Signals = `SIG${this.command.stopSignal}`): Promise<void> {
    if (this.ended) return;
    this.child.ref();
    this.child.kill(signal);
    const insist = setTimeout(() => this.child.kill('SIGKILL'), STOP_DEADLINE_MS);
    await this.exited;
    clearTimeout(insist);
  }
}
