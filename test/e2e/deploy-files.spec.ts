import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '@app/observability';

const DEPLOY = join(__dirname, '../../deploy');
const FILES = ['prometheus/alerts.yml', 'grafana/dashboards/questline.json'];

/** Everything in a PromQL text that could be a metric of ours. */
function metricsIn(text: string): string[] {
  const names = text.match(/\b[a-z]+(?:_[a-z]+)+\b(?=\s*(?:[{[)]|\)|==|>|$))/gm) ?? [];
  return [...new Set(names)].map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}

/** PromQL's own words that look like a metric. */
const WORDS = new Set(['histogram_quantile', 'clamp_min']);

describe.each(FILES)('deploy/%s', (file) => {
  it('names only metrics that the code has', () => {
    const known = new Set(new Metrics().registry.getMetricsAsArray().map(({ name }) => name));
    const text = readFileSync(join(DEPLOY, file), 'utf8');
    const expressions = file.endsWith('.json')
      ? [...text.matchAll(/"expr": "(.*)"/g)].map(([, expression]) => expression ?? '')
      : [...text.matchAll(/expr: (?:>-\n)?([\s\S]*?)\n {8}(?:for|labels):/g)].map(
          ([, expression]) => expression ?? '',
        );
    expect(expressions.length).toBeGreaterThan(5);
    const named = expressions.flatMap(metricsIn).filter((name) => !WORDS.has(name));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !known.has(name) && !['limit_name'].includes(name))).toEqual([]);
  });
});
