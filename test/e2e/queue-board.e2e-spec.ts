import { Product } from '../support/product';

describe('Bull Board at /queues', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start();
  });

  afterAll(() => product.stop());

  const withPassword = (password: string) => ({
    key: null,
    headers: { Authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` },
  });

  it('opens for the admin key as password, and for nobody else', async () => {
    const page = await product.call<string>('/queues', withPassword(product.adminKey));
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('Questline queues') });
    const queues = await product.call<{ queues: Array<{ name: string; readOnlyMode: boolean }> }>(
      '/queues/api/queues',
      withPassword(product.adminKey),
    );
    expect(queues.body.queues.map(({ name, readOnlyMode }) => ({ name, readOnlyMode }))).toEqual(
      ['transcribe', 'summarise', 'generations'].map((name) => ({ name, readOnlyMode: true })),
    );
    const member = await product.createTeam('members');
    for (const call of [
      withPassword('wrong'),
      withPassword(member.key),
      { key: null },
      { key: product.adminKey },
    ]) {
      expect((await product.call('/queues/api/queues', call)).status).toBe(401);
    }
  });
});
