import { Product } from '../support/product';

interface Operation {
  readonly security?: unknown[];
  readonly responses: Record<string, { content?: Record<string, { schema?: object; examples?: object }> }>;
}

/** Every route of the contract, as method and path. */
const CONTRACT = `
  POST /api/campaigns · GET /api/campaigns · GET /api/campaigns/{id} · PATCH /api/campaigns/{id} · DELETE /api/campaigns/{id}
  · POST /api/campaigns/{id}/sessions · POST /api/campaigns/{id}/names · GET /api/sessions · GET /api/sessions/{id}
  · PATCH /api/sessions/{id} · DELETE /api/sessions/{id} · POST /api/sessions/{id}/retry · POST /api/sessions/{id}/cancel
  · GET /api/sessions/{id}/transcript · GET /api/sessions/{id}/events · POST /api/sessions/{id}/ask · POST /api/sessions/{id}/names
  · POST /api/generations · GET /api/generations/{id} · POST /api/generations/preview · POST /api/generations/{id}/cancel
  · GET /api/usage · GET /api/admin/usage · GET /api/admin/ai/queue · GET /api/admin/ai/queue/events
  · PUT /api/admin/ai/limits · PUT /api/admin/caps · POST /api/admin/ai/test · POST /api/admin/teams · GET /api/admin/teams
  · POST /api/admin/teams/{id}/keys · DELETE /api/admin/keys/{id} · GET /health/live · GET /health/ready`
  .split('·')
  .map((route) => route.trim());

describe('the OpenAPI document', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start({ processes: 'api' });
  });

  afterAll(() => product.stop());

  it('names every route of the contract, with its errors as problem documents and an example each', async () => {
    const { body } = await product.call<{ paths: Record<string, Record<string, Operation>> }>('/docs-json', {
      key: null,
    });
    const operations = new Map<string, Operation>(
      Object.entries(body.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
        ),
      ),
    );
    expect(CONTRACT.filter((route) => !operations.has(route))).toEqual([]);
    for (const [route, operation] of operations) {
      if (!route.includes('/api/')) continue;
      expect({ route, security: operation.security }).toEqual({ route, security: [{ bearer: [] }] });
      const { 401: unauthorized } = operation.responses;
      expect({ route, errors: unauthorized?.content?.['application/problem+json']?.examples }).toMatchObject({
        route,
        errors: { unauthorized: { value: { code: 'unauthorized', status: 401 } } },
      });
    }
    expect((await product.call<string>('/docs', { key: null })).body).toContain('Questline API');
  });
});
