import { delay } from '@app/kernel';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolderInUseError } from './embedded-errors';
import { isAlive, nameProcess, ProcessLock, type NamedProcess } from './process-lock';

interface NamedServer extends NamedProcess {
  readonly name: string;
}

const LOCK = 'embedded-stores.lock';
const SERVERS = 'embedded-stores.json';
const DYING_DEADLINE_MS = 20_000;
const POLL_MS = 50;

/**
 * That one process at a time works on a data folder. A killed run holds nothing; its servers, which its guard is
 * just stopping, are waited for.
 */
export class DataFolderClaim {
  private readonly servers: NamedServer[] = [];

  private constructor(
    private readonly serversPath: string,
    private readonly lock: ProcessLock,
  ) {}

  /** @throws DataFolderInUseError when another process, or a server it left behind, works on the folder */
  static async take(folder: string): Promise<DataFolderClaim> {
    const lock = await ProcessLock.tryTake(join(folder, LOCK));
    if (!(lock instanceof ProcessLock)) {
      throw new DataFolderInUseError(folder, lock.pid, 'another instance is up');
    }
    const serversPath = join(folder, SERVERS);
    try {
      await waitForServers(folder, readServers(serversPath));
      return new DataFolderClaim(serversPath, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Notes a server, for a later start to wait for should we be killed. */
  add(name: string, pid: number): void {
    this.servers.push({ name, ...nameProcess(pid) });
    const draft = `${this.serversPath}.draft`;
    writeFileSync(draft, JSON.stringify(this.servers), { mode: 0o600 });
    renameSync(draft, this.serversPath);
  }

  /** Once the servers are gone. */
  release(): void {
    rmSync(this.serversPath, { force: true });
    this.lock.release();
  }
}

async function waitForServers(folder: string, servers: readonly NamedServer[]): Promise<void> {
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

function readServers(path: string): NamedServer[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as NamedServer[];
  } catch {
    return [];
  }
}
