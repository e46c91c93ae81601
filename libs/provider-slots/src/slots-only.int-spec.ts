import { runExample } from '../../../docs/examples/slots-only/slots-only';

it('the example of docs/examples/slots-only runs on the module alone, and reaches its cap', async () => {
  const lines: string[] = [];
  const peak = await runExample(process.env['QB_TEST_REDIS_URL'] ?? '', (line) => lines.push(line));
  expect(peak).toBe(2);
  // Eight calls of one team asked first; the other teams' four do not come last.
  expect(lines.slice(0, 8).filter((line) => !line.startsWith('red')).length).toBeGreaterThanOrEqual(3);
});
