import { delay } from '@app/kernel';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolderInUseError } from './embedded-errors';
import { processStartMark } from './process-start-mark';

interface NamedProcess {
  readonly name: string;
  readonly pid: number;
  readonly mark: string | undefined;
}

interface ClaimNote {
  readonly holder: NamedProcess;
  readonly servers: readonly NamedProcess[];
}

const FILE = 'embedded-stores.json';
const DYING_DEADLINE_MS = 20_000;
const POLL_MS = 50;

/**
 * That one process at a time works on a data folder. The note in the folder names the holder and its servers by pid
 * and start time, so the note of a killed run holds nothing, and servers which its guard is just stopping are
 * waited for.
 */
export class DataFolderClaim {
  private readonly servers: NamedProcess[] = [];

  private constructor(
    private readonly path: string,
    private readonly holder: NamedProcess,
  ) {}

  /** @throws DataFolderInUseError when another process, or a server it left behind, works on the folder */
  static async take(folder: string): Promise<DataFolderClaim> {
    const path = join(folder, FILE);
    const holder = nameProcess('starter', process.pid);
    for (;;) {
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, JSON.stringify({ holder, servers: [] } satisfies ClaimNote), { mode: 0o600 });
      try {
        linkSync(draft, path);
        return new DataFolderClaim(path, holder);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        rmSync(draft, { force: true });
      }
      await retireStaleNote(folder, path);
    }
  }

  /** Names a server in the note, for a later start to wait for should we be killed. */
  add(name: string, pid: number): void {
    this.servers.push(nameProcess(name, pid));
    const draft = `${this.path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ holder: this.holder, servers: this.servers } satisfies ClaimNote), {
      mode: 0o600,
    });
    renameSync(draft, this.path);
  }

  release(): void {
    rmSync(this.path, { force: true });
  }
}

async function retireStaleNote(folder: string, path: string): Promise<void> {
  const text = readNote(path);
  if (text === undefined) return;
  const note = parseNote(text);
  if (note !== undefined) {
    if (isAlive(note.holder))
      throw new DataFolderInUseError(folder, note.holder.pid, 'another instance is up');
    await waitForServers(folder, note.servers);
  }
  // Two starts may retire at once. Who moves away a fresh note instead of the stale one puts it back.
  const retired = `${path}.retired-${process.pid}`;
  try {
    renameSync(path, retired);
    if (readNote(retired) !== text) linkSync(retired, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(retired, { force: true });
  }
}

async function waitForServers(folder: string, servers: readonly NamedProcess[]): Promise<void> {
  const deadline = Date.now() + DYING_DEADLINE_MS;
  for (const server of servers) {
    while (isAlive(server)) {
      if (Date.now() > deadline) {
        throw new DataFolderInUseError(
          folder,
          server.pid,
          `the ${server.name} of a killed run; stop it first`,
        );
      }
      await delay(POLL_MS);
    }
  }
}

function nameProcess(name: string, pid: number): NamedProcess {
  return { name, pid, mark: processStartMark(pid) };
}

function isAlive({ pid, mark }: NamedProcess): boolean {
  return mark !== undefined && processStartMark(pid) === mark;
}

function readNote(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for a file that is not ours to understand; such a note holds nothing. */
function parseNote(text: string): ClaimNote | undefined {
  try {
    return JSON.parse(text) as ClaimNote;
  } catch {
    return undefined;
  }
}
