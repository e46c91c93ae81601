/** RFC 4180 text of rows that all have the first one's columns; no rows give no text. */
export function toCsv(rows: ReadonlyArray<object>): string {
  const [first] = rows;
  if (!first) return '';
  const columns = Object.keys(first);
  const lines = rows.map((row) => columns.map((column) => field(Reflect.get(row, column) as Cell)).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

type Cell = string | number | boolean | Date | null | undefined;

function field(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Date ? value.toISOString() : String(value);
  // A spreadsheet would run what starts like a formula.
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
