import { BuiltProcess } from '../support/built-process';
import { Product } from '../support/product';
import { RedisProxy } from '../support/redis-proxy';

jest.setTimeout(110_000);

/** The grace of the product under test, what aborting may take, and some boot-worthy slowness. */
const STOPS_WITHIN_MS = 20_000;

describe.each([
  ['is gone', (line: RedisProxy) => line.refuse()],
  ['swallows all', (line: RedisProxy) => line.blackhole()],
])('a process whose Redis %s', (_, breakLine) => {
  it('stops in good order when it is told to, also with a call under way', async () => {
    const product = await Product.start({ processes: 'api' });
    const line = await RedisProxy.start(product.env['REDIS_URL']!);
    const env = { ...product.processEnv, REDIS_URL: line.url };
    const processes = await Promise.all([BuiltProcess.start('api', env), BuiltProcess.start('worker', env)]);
    try {
      product.emulator.script([{ match: { kind: 'asr' }, action: { hold: true } }]);
      await product.upload(await product.createCampaign());
      await product.emulator.untilHeld(1);
      await breakLine(line);
      const since = performance.now();
      expect(await Promise.all(processes.map((started) => started.stop()))).toEqual([0, 0]);
      expect(performance.now() - since).toBeLessThan(STOPS_WITHIN_MS);
    } finally {
      for (const started of processes) await started.kill();
      await line.close();
      await product.stop();
    }
  });
});
