import type { ReactNode } from 'react';

/** A recap as its model wrote it: paragraphs, lists and headings, nothing else is given a form. */
export function Recap({ text }: { readonly text: string }): ReactNode {
  return (
    <section className="card" aria-labelledby="recap">
      <h2 id="recap">Recap</h2>
      <div className="prose">
        {text
          .trim()
          .split(/\n{2,}/)
          .map((block, index) => (
            <Block key={index} lines={block.split('\n')} />
          ))}
      </div>
    </section>
  );
}

function Block({ lines }: { readonly lines: readonly string[] }): ReactNode {
  const [first = ''] = lines;
  if (lines.every((line) => /^\s*[-*•]\s/.test(line))) {
    return (
      <ul>
        {lines.map((line, index) => (
          <li key={index}>{plain(line.replace(/^\s*[-*•]\s+/, ''))}</li>
        ))}
      </ul>
    );
  }
  if (/^#{1,6}\s/.test(first)) {
    return (
      <>
        <h3>{plain(first.replace(/^#+\s+/, ''))}</h3>
        {lines.length > 1 && <Block lines={lines.slice(1)} />}
      </>
    );
  }
  return (
    <p>
      {lines.map((line, index) => (
        <span key={index}>
          {index > 0 && <br />}
          {plain(line)}
        </span>
      ))}
    </p>
  );
}

/** Marks of emphasis carry nothing here. */
function plain(line: string): string {
  return line.replaceAll('**', '');
}
