import Table from 'cli-table3';
import type { DemoQueue, DemoSession } from './demo-client';

/** A live table on a terminal; elsewhere a plain line for each thing that changed. */
export class DemoTable {
  private readonly said = new Map<string, string>();
  private lines = 0;

  constructor(private readonly out: NodeJS.WriteStream) {}

  show(sessions: readonly DemoSession[], queue: DemoQueue): void {
    if (this.out.isTTY) this.redraw(sessions, queue);
    else this.tellChanges(sessions, queue);
  }

  private redraw(sessions: readonly DemoSession[], queue: DemoQueue): void {
    const table = new Table({ head: ['session', 'phase', 'queue'], style: { head: [], border: [] } });
    for (const session of sessions) table.push([session.title, session.status, waitOf(session)]);
    const text = `${table.toString()}\n${queueLine(queue)}\n`;
    if (this.lines > 0) this.out.write(`\u001b[${this.lines}A\u001b[0J`);
    this.out.write(text);
    this.lines = text.split('\n').length - 1;
  }

  private tellChanges(sessions: readonly DemoSession[], queue: DemoQueue): void {
    for (const session of sessions) {
      this.tell(
        session.id,
        `${session.title.padEnd(24)} ${session.status.padEnd(13)} ${waitOf(session)}`.trimEnd(),
      );
    }
    this.tell('queue', queueLine(queue));
  }

  private tell(subject: string, line: string): void {
    if (this.said.get(subject) === line) return;
    this.said.set(subject, line);
    this.out.write(`${line}\n`);
  }
}

function waitOf({
  processing_wait: wait,
  retry_count: retries,
  finished_at: finishedAt,
}: DemoSession): string {
  if (finishedAt)
    return retries > 0 ? `put back ${retries === 1 ? 'once' : `${retries} times`} on the way` : '';
  if (!wait) return '';
  const place = wait.position === 0 ? 'next in line' : `behind ${wait.position}`;
  return wait.estimated_seconds === null ? place : `${place}, about ${inWords(wait.estimated_seconds)}`;
}

function inWords(seconds: number): string {
  return seconds < 90 ? `${Math.max(5, Math.round(seconds / 5) * 5)} s` : `${Math.round(seconds / 60)} min`;
}

function queueLine({ endpoints }: DemoQueue): string {
  return endpoints
    .map(
      ({ kind, provider, limit, in_use, waiting }) =>
        `${kind} (${provider}): ${in_use} of ${limit ?? 'any'} in use, ${waiting} waiting`,
    )
    .join('   ');
}
