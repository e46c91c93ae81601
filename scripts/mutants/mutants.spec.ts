import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Mutant {
  readonly promise: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly test: string;
}

const SOURCES = join(__dirname, '../../libs/provider-slots/src');

describe('the mutants of the semaphore', () => {
  async function load() {
    const { mutants } = (await import('./mutants.mjs' as string)) as { mutants: Mutant[] };
    const { specsOf } = (await import('./run-mutants.mjs' as string)) as {
      specsOf: (test: string) => string[];
    };
    return { mutants, specsOf };
  }

  it('are thirty at the least, and every promise has one', async () => {
    const { mutants } = await load();
    const promises = new Set(mutants.map(({ promise }) => promise));
    expect(mutants.length).toBeGreaterThanOrEqual(30);
    expect(Array.from({ length: 14 }, (_, i) => `P${i + 1}`).filter((name) => !promises.has(name))).toEqual(
      [],
    );
  });

  it('each fit the sources in exactly one place, and name a test that there is', async () => {
    const { mutants, specsOf } = await load();
    const unfit = mutants.filter(
      ({ file, find }) => readFileSync(join(SOURCES, file), 'utf8').split(find).length !== 2,
    );
    expect(unfit.map(({ file, find }) => `${file}: ${find}`)).toEqual([]);
    expect(mutants.filter(({ test }) => specsOf(test).length === 0).map(({ test }) => test)).toEqual([]);
  });
});
