import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemCodes, statusOfCode, titleOfCode } from '@app/http';
import MarkdownIt from 'markdown-it';

/** The page behind the `type` of a problem document: what the code means and what to do. */
export class ErrorPages {
  private readonly markdown = new MarkdownIt({ html: false, typographer: false });
  private readonly pages = new Map<string, string>();

  /** @param folder holds one Markdown file per code */
  constructor(private readonly folder: string) {}

  /** Undefined for what is no code of ours. */
  find(code: string): string | undefined {
    // The list comes first: a code is a file name only once it is known to be one.
    if (!problemCodes().includes(code)) return undefined;
    const page = this.pages.get(code) ?? this.render(code);
    this.pages.set(code, page);
    return page;
  }

  private render(code: string): string {
    const title = this.markdown.utils.escapeHtml(titleOfCode(code));
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${code} · Questline</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="/error-page.css">
</head>
<body>
<main>
<p class="code"><code>${code}</code> · HTTP ${statusOfCode(code)}</p>
<h1>${title}</h1>
${this.markdown.render(this.readText(code))}
<p class="home"><a href="/">To the console</a> · <a href="/docs">API reference</a></p>
</main>
</body>
</html>
`;
  }

  private readText(code: string): string {
    try {
      return readFileSync(join(this.folder, `${code}.md`), 'utf8').replace(/^# .*\n+/, '');
    } catch {
      return 'The pages about errors are not part of this installation.';
    }
  }
}
