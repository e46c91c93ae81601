import { Readable } from 'node:stream';
import { request } from 'undici';
import { BuiltProcess } from '../support/built-process';
import { Product, readSample } from '../support/product';

const MEGABYTE = 1_024 ** 2;
const LARGE_BYTES = 500 * MEGABYTE;
const ALLOWED_GROWTH_BYTES = 60 * MEGABYTE;

/** A multipart body of a WAV file of the given size, made as it is sent. */
function* wavBody(head: Buffer, bytes: number): Generator<Buffer> {
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n');
  yield head;
  const silence = Buffer.alloc(64 * 1_024);
  for (let sent = head.length; sent < bytes; sent += silence.length) yield silence.subarray(0, bytes - sent);
  yield Buffer.from('\r\n--b--\r\n');
}

describe('an upload of 500 MB', () => {
  it('raises the process by less than 60 MB over what a first upload left', async () => {
    const product = await Product.start({ processes: 'api' });
    const api = await BuiltProcess.start('api', product.processEnv);
    try {
      const campaignId = await product.createCampaign();
      const head = await readSample(0);
      const upload = async (bytes: number): Promise<number> => {
        const { statusCode, body } = await request(`${api.url}/api/campaigns/${campaignId}/sessions`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${product.adminKey}`,
            'content-type': 'multipart/form-data; boundary=b',
          },
          body: Readable.from(wavBody(head, bytes)),
        });
        await body.dump();
        return statusCode;
      };
      expect(await upload(5 * MEGABYTE)).toBe(202);
      const before = await api.residentBytes();
      let most = before;
      const watch = setInterval(
        () => void api.residentBytes().then((bytes) => (most = Math.max(most, bytes))),
        50,
      );
      expect(await upload(LARGE_BYTES)).toBe(202);
      clearInterval(watch);
      most = Math.max(most, await api.residentBytes());
      expect(most - before).toBeLessThan(ALLOWED_GROWTH_BYTES);
    } finally {
      await api.stop();
      await product.stop();
    }
  }, 120_000);
});
