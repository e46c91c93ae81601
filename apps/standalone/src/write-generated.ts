import { readFile, writeFile } from 'node:fs/promises';
import { AppConfig, envVariables } from '@app/config';
import { problemCodes, statusOfCode, titleOfCode } from '@app/http';
import { Metrics } from '@app/observability';

/** What stands between these marks is written by this file, and by nobody else. */
const mark = (name: string, end: 'begin' | 'end'): string => `<!-- generated: ${name} (${end}) -->`;

/**
 * `npm run generate` writes what follows from the code: the tables of variables, metrics and error codes in
 * docs/operations.md, and .env.example. `npm run verify` only compares and fails when a file is not current.
 */
async function main(checkOnly: boolean): Promise<void> {
  const wanted = new Map([
    ['docs/operations.md', await withTables('docs/operations.md')],
    ['.env.example', envExample()],
  ]);
  const stale: string[] = [];
  for (const [path, text] of wanted) {
    if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
    if (checkOnly) stale.push(path);
    else await writeFile(path, text);
  }
  if (stale.length === 0) return;
  process.stderr.write(`Not current: ${stale.join(', ')}. Run "npm run generate".\n`);
  process.exitCode = 1;
}

async function withTables(path: string): Promise<string> {
  const tables = { environment: environmentTable(), metrics: metricsTable(), errors: errorsTable() };
  let text = await readFile(path, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const [begin, end] = [mark(name, 'begin'), mark(name, 'end')];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${path} lacks the marks of "${name}"`);
    text = `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
  }
  return text;
}

function defaultOf(name: string): string {
  const value: unknown = Reflect.get(new AppConfig(), name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function environmentTable(): string {
  const rows = envVariables().map(({ name, form, meaning }) => {
    const byDefault = defaultOf(name);
    return `| \`${name}\` | ${byDefault ? `\`${byDefault}\`` : 'unset'} | ${meaning} | ${form} |`;
  });
  return ['| variable | default | meaning | takes |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function metricsTable(): string {
  const rows = new Metrics().registry.getMetricsAsArray().map((metric) => {
    const { labelNames } = metric as unknown as { labelNames: string[] };
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${metric.name}\` | ${String(metric.type)} | ${labels} | ${metric.help} |`;
  });
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function errorsTable(): string {
  const rows = problemCodes().map((code) => `| \`${code}\` | ${statusOfCode(code)} | ${titleOfCode(code)} |`);
  return ['| code | HTTP | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function envExample(): string {
  const lines = envVariables().map(
    ({ name, form, meaning }) => `# ${meaning} (${form})\n#${name}=${defaultOf(name)}\n`,
  );
  return [
    '# Every variable, with its default. Written by "npm run generate".',
    '',
    '# For docker compose alone: the password of its Postgres.',
    '#POSTGRES_PASSWORD=',
    '',
    ...lines,
  ].join('\n');
}

main(process.argv.includes('--check')).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
