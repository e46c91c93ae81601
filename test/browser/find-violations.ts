import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: Array<{ id: string; help: string; nodes: Array<{ html: string; failureSummary?: string }> }>;
}

/** Every violation axe finds of WCAG 2.2 A and AA and of good practice, one line each. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
