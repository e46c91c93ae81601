/** Reads one header of an answer, whatever object carries it. */
export type HeaderReader = (name: string) => string | undefined;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_NAME = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*$/i;
const NUMBER = /^\d+(\.\d+)?$/;
/** `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`. */
const DAY_FIRST =
  /^(?:[a-z]+,\s*)?(\d{1,2})[ -]([a-z]{3})[ -](\d{4}|\d{2}) (\d{2}):(\d{2}):(\d{2})(?: GMT| UTC)?$/i;
/** `Sun Nov  6 08:49:37 1994`, which has no zone and means GMT. */
const MONTH_FIRST = /^[a-z]{3} ([a-z]{3}) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * The pause a provider asked for, in whole ms, rounded up; undefined when it named none that can be used
 * (absent, invalid, zero, negative, in the past). `retry-after-ms` wins over `Retry-After`; of several
 * values the later time counts.
 *
 * An HTTP date is measured against the answer's own `Date`, so that a clock which is wrong on either side
 * changes nothing.
 *
 * @param now our clock, in ms since the epoch, for an answer without a `Date`
 */
export function readRetryAfter(header: HeaderReader, now: number): number | undefined {
  const exact = latest(valuesOf(header('retry-after-ms')).map((value) => readNumber(value, 1)));
  if (exact !== undefined) return exact;
  const sentAt = readHttpDate(header('date') ?? '', now) ?? now;
  return latest(
    valuesOf(header('retry-after')).map((value) => {
      if (NUMBER.test(value)) return readNumber(value, 1_000);
      const at = readHttpDate(value, now);
      return at === undefined ? undefined : at - sentAt;
    }),
  );
}

/** An HTTP date in any of its three forms, in ms since the epoch. */
export function readHttpDate(text: string, now: number): number | undefined {
  const dayFirst = DAY_FIRST.exec(text.trim());
  if (dayFirst) {
    const [, day, month, year, hours, minutes, seconds] = dayFirst;
    return instant(fullYear(year!, now), month!, day!, hours!, minutes!, seconds!);
  }
  const monthFirst = MONTH_FIRST.exec(text.trim());
  if (!monthFirst) return undefined;
  const [, month, day, hours, minutes, seconds, year] = monthFirst;
  return instant(Number(year), month!, day!, hours!, minutes!, seconds!);
}

function instant(year: number, month: string, day: string, hours: string, minutes: string, seconds: string) {
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex < 0) return undefined;
  return Date.UTC(year, monthIndex, Number(day), Number(hours), Number(minutes), Number(seconds));
}

/** Two digits that would lie more than 50 years ahead belong to the last century (RFC 9110). */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}

/** Repeated headers arrive joined by commas, and a date has a comma of its own after its day's name. */
function valuesOf(joined: string | undefined): string[] {
  const values: string[] = [];
  for (const part of (joined ?? '').split(',').map((piece) => piece.trim())) {
    const last = values.at(-1);
    if (last !== undefined && DAY_NAME.test(last)) values[values.length - 1] = `${last}, ${part}`;
    else if (part) values.push(part);
  }
  return values;
}

function readNumber(value: string, unitMs: number): number | undefined {
  return NUMBER.test(value) ? Number(value) * unitMs : undefined;
}

function latest(pausesMs: Array<number | undefined>): number | undefined {
  const usable = pausesMs.filter((pause): pause is number => pause !== undefined && pause > 0);
  return usable.length > 0 ? Math.ceil(Math.max(...usable)) : undefined;
}
