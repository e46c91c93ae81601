import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Product } from '../support/product';

const ROOT = join(__dirname, '../..');

/** The shell blocks of the README that call the API, as one script; where and with which key is the test's. */
async function curlsOf(readme: string): Promise<string> {
  const text = await readFile(join(ROOT, readme), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  return blocks
    .filter((block) => block.includes('curl '))
    .join('\n')
    .replace(/^URL=.*$/m, '')
    .replace(/^KEY=.*$/m, '');
}

describe('the README', () => {
  it('shows curl calls that all work as they are written there', async () => {
    const product = await Product.start();
    try {
      const script = await curlsOf('README.md');
      expect(script.match(/curl /g)?.length).toBeGreaterThan(25);
      const strict = `set -euo pipefail\nURL=${product.url}\nKEY=${product.adminKey}\n${script}`;
      const { stdout } = await promisify(execFile)('bash', ['-c', strict], { cwd: ROOT });
      expect(stdout).toContain('"status":"completed"');
      expect(stdout).toContain('"limit_source":"override"');
    } finally {
      await product.stop();
    }
  }, 60_000);
});
