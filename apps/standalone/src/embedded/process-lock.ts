import { delay } from '@app/kernel';
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { processStartMark } from './process-start-mark';

/** A process as a file names it: the pid alone is handed out again after its end. */
export interface NamedProcess {
  readonly pid: number;
  readonly mark: string | undefined;
}

const POLL_MS = 20;

/**
 * A file that one living process at a time holds. The file of a dead holder is removed by the one process that holds
 * the lock *on that removal*, a file named after the dead holder and taken by this same rule:
 *
 *     link(note → path)                 atomic: one of several gets it
 *     holder of path is dead            take `path.<dead holder>`, look again, remove path only if it is still his
 *
 * Removing without that second lock lets two winners in: the slower remover takes away the winner's fresh file.
 */
export class ProcessLock {
  private constructor(private readonly path: string) {}

  /** The lock, or who holds it. */
  static async tryTake(path: string): Promise<ProcessLock | NamedProcess> {
    for (;;) {
      if (place(path)) return new ProcessLock(path);
      const text = read(path);
      if (text === undefined) continue;
      const holder = parse(text);
      if (holder !== undefined && isAlive(holder)) return holder;
      await removeDead(path, text);
    }
  }

  release(): void {
    rmSync(this.path, { force: true });
  }
}

export function nameProcess(pid: number): NamedProcess {
  return { pid, mark: processStartMark(pid) };
}

export function isAlive({ pid, mark }: NamedProcess): boolean {
  return mark !== undefined && processStartMark(pid) === mark;
}

async function removeDead(path: string, text: string): Promise<void> {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  let right = await ProcessLock.tryTake(`${path}.${digest}`);
  while (!(right instanceof ProcessLock)) {
    await delay(POLL_MS);
    right = await ProcessLock.tryTake(`${path}.${digest}`);
  }
  try {
    if (read(path) === text) rmSync(path, { force: true });
  } finally {
    right.release();
  }
}

/** Whether the path is ours now. The note is whole before it gets its name, so nobody reads half of it. */
function place(path: string): boolean {
  const draft = `${path}.draft-${process.pid}`;
  writeFileSync(draft, JSON.stringify(nameProcess(process.pid)), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for a file that a crash of the machine left empty: nobody holds by it. */
function parse(text: string): NamedProcess | undefined {
  try {
    return JSON.parse(text) as NamedProcess;
  } catch {
    return undefined;
  }
}
