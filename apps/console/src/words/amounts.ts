/** Bytes as people read them: "134 kB", "1.2 GB". */
export function fileSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Micro-units of the billing currency as its units; what cost nothing is a dash. */
export function money(micros: number): string {
  if (micros === 0) return '–';
  const units = micros / 1_000_000;
  return units.toLocaleString(undefined, {
    minimumFractionDigits: 2,
    maximumFractionDigits: Math.abs(units) < 1 ? 4 : 2,
  });
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString();
}

/** "01-the-gate.wav" → "01 the gate". */
export function titleOfFile(filename: string): string {
  const name = filename
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .replace(/[_-]+/g, ' ')
    .trim();
  return name.slice(0, 200) || filename.slice(0, 200);
}
