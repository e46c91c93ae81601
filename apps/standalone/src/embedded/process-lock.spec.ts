import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessLock } from './process-lock';

describe('ProcessLock', () => {
  let folder: string;

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function setup(): { path: string; take: () => Promise<ProcessLock | { pid: number }> } {
    folder = mkdtempSync(join(tmpdir(), 'questline-lock-'));
    const path = join(folder, 'lock');
    return { path, take: () => ProcessLock.tryTake(path) };
  }

  async function takeMany(take: () => Promise<ProcessLock | { pid: number }>): Promise<number> {
    const outcomes = await Promise.all(Array.from({ length: 20 }, take));
    return outcomes.filter((outcome) => outcome instanceof ProcessLock).length;
  }

  it('goes to one of many, tells the others who has it, and is free again after its release', async () => {
    const { take } = setup();
    const lock = await take();
    expect(lock).toBeInstanceOf(ProcessLock);
    expect(await take()).toMatchObject({ pid: process.pid });

    (lock as ProcessLock).release();
    expect(await takeMany(take)).toBe(1);
  });

  it.each([
    ['of a process that ended', JSON.stringify({ pid: 99_999_999, mark: '1' })],
    ['of an earlier process whose pid is ours now', JSON.stringify({ pid: process.pid, mark: '1' })],
    ['that a crash of the machine left empty', ''],
  ])('goes to one of many over a file %s', async (_, text) => {
    const { path, take } = setup();
    writeFileSync(path, text);

    expect(await takeMany(take)).toBe(1);
    expect(readdirSync(folder)).toEqual(['lock']);
  });
});
