export const DATE_FORMS = ['imf-fixdate', 'rfc850', 'asctime'] as const;
export type DateForm = (typeof DATE_FORMS)[number];

/**
 * How long to wait, in every form a server may say it: a number of seconds (fractions and negative ones
 * too), any raw text, `{ms}` as the `retry-after-ms` header, or an HTTP date so many seconds ahead of the
 * answer's own `Date`.
 */
export type RetryAfter =
  number | string | { readonly ms: number } | { readonly date_in_seconds: number; readonly form?: DateForm };

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Headers to add; two of one name become two header lines. Dates count from the whole second of `now`. */
export function retryAfterHeaders(
  hints: RetryAfter | readonly RetryAfter[],
  now: Date,
): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  const add = (name: string, value: string): void => {
    (headers[name] ??= []).push(value);
  };
  for (const hint of isList(hints) ? hints : [hints]) {
    if (typeof hint === 'number' || typeof hint === 'string') add('Retry-After', String(hint));
    else if ('ms' in hint) add('retry-after-ms', String(hint.ms));
    else {
      const second = Math.floor(now.getTime() / 1000) + Math.ceil(hint.date_in_seconds);
      add('Retry-After', httpDate(new Date(second * 1000), hint.form));
    }
  }
  return headers;
}

/** The three forms of a date that HTTP knows. */
export function httpDate(date: Date, form: DateForm = 'imf-fixdate'): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = DAYS[date.getUTCDay()] ?? '';
  const month = MONTHS[date.getUTCMonth()] ?? '';
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  const year = date.getUTCFullYear();
  switch (form) {
    case 'imf-fixdate':
      return date.toUTCString();
    case 'rfc850':
      return `${day}, ${two(date.getUTCDate())}-${month}-${two(year % 100)} ${time} GMT`;
    case 'asctime':
      return `${day.slice(0, 3)} ${month} ${String(date.getUTCDate()).padStart(2, ' ')} ${time} ${year}`;
  }
}

function isList(hints: RetryAfter | readonly RetryAfter[]): hints is readonly RetryAfter[] {
  return Array.isArray(hints);
}
