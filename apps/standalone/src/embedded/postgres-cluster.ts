import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedStoresError, StoreStartError } from './embedded-errors';
import type { PostgresBinaries } from './postgres-binaries';
import { SERVER_ENVIRONMENT } from './server-process';
import type { UnprivilegedUser } from './unprivileged-user';

const run = promisify(execFile);

export const SUPERUSER = 'questline';

export interface ClusterOptions {
  readonly binaries: PostgresBinaries;
  /** Holds the data, the password and the log; must be one that the user can enter. */
  readonly folder: string;
  /** Whom Postgres runs as; absent: as we do. */
  readonly user: UnprivilegedUser | undefined;
  /** Durable data survives a crash of the machine; other data is not even synced. */
  readonly durable: boolean;
}

/** What a running postmaster says about itself in its data folder. */
export interface PostmasterNote {
  readonly pid: number;
  readonly isReady: boolean;
}

/** The data of one Postgres on disk: made once, found again at the next start. */
export class PostgresCluster {
  private constructor(
    readonly dataFolder: string,
    readonly password: string,
  ) {}

  /** @throws StoreStartError when initdb fails, EmbeddedStoresError when another major version made the data */
  static async prepare(options: ClusterOptions): Promise<PostgresCluster> {
    const dataFolder = join(options.folder, 'data');
    mkdirSync(options.folder, { recursive: true, mode: 0o711 });
    const password = keepPassword(join(options.folder, 'password'), existsSync(dataFolder));
    if (!existsSync(dataFolder)) await makeCluster(options, dataFolder, password);
    await requireSameMajor(options.binaries, dataFolder);
    return new PostgresCluster(dataFolder, password);
  }

  /** Undefined while no postmaster has written its note. */
  readNote(): PostmasterNote | undefined {
    try {
      const lines = readFileSync(this.notePath, 'utf8').split('\n');
      return { pid: Number(lines[0]), isReady: lines[7]?.trim() === 'ready' };
    } catch {
      return undefined;
    }
  }

  /**
   * Removes the note of a killed run when its pid now belongs to something else: Postgres would take that process
   * for a postmaster and refuse to start. A dead pid, or a real postmaster, it judges better than we can.
   */
  removeMisleadingNote(): void {
    const note = this.readNote();
    if (note === undefined || process.platform !== 'linux') return;
    const commandLine = readCommandLine(note.pid);
    if (commandLine !== undefined && !commandLine.includes(this.dataFolder))
      rmSync(this.notePath, { force: true });
  }

  private get notePath(): string {
    return join(this.dataFolder, 'postmaster.pid');
  }
}

/** Trust would make every user of this machine a superuser of the database, and so able to run programs as us. */
function keepPassword(path: string, clusterExists: boolean): string {
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  if (clusterExists)
    throw new EmbeddedStoresError(`${path} is missing, so the data beside it cannot be opened.`);
  const password = randomBytes(24).toString('hex');
  writeFileSync(path, password, { mode: 0o600 });
  return password;
}

/** Works in a draft folder: an initdb that was killed half-way leaves nothing that looks like a cluster. */
async function makeCluster(options: ClusterOptions, dataFolder: string, password: string): Promise<void> {
  const { binaries, user, durable } = options;
  const draft = `${dataFolder}.draft`;
  const passwordFile = join(options.folder, 'password.draft');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) for (const path of [draft, passwordFile]) chownSync(path, user.uid, user.gid);

  const args = [
    '-D',
    draft,
    '-U',
    SUPERUSER,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
  ];
  // The C locale exists everywhere; the built-in provider adds Unicode's upper and lower case without any other.
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  if (!durable) args.push('--no-sync');
  try {
    await run(binaries.initdb, args, { cwd: '/', env: SERVER_ENVIRONMENT, uid: user?.uid, gid: user?.gid });
    renameSync(draft, dataFolder);
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    throw new StoreStartError('Postgres', 'initdb failed', stderr?.trim() || message, { cause });
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

async function requireSameMajor(binaries: PostgresBinaries, dataFolder: string): Promise<void> {
  const made = readFileSync(join(dataFolder, 'PG_VERSION'), 'utf8').trim();
  if (made !== binaries.majorVersion) {
    throw new EmbeddedStoresError(
      `The data in ${dataFolder} was made by Postgres ${made}, and this is Postgres ${binaries.majorVersion}. ` +
        'Move the folder away, or set DATABASE_URL to a Postgres of the older version.',
    );
  }
}

function readCommandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return undefined;
  }
}
