import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const CHARACTER_NOT_IN_REPERTOIRE = '22021';
const UNTRANSLATABLE_CHARACTER = '22P05';

/** Classes of SQLSTATE that mean "Postgres is away or going down", not "this query is wrong". */
const AWAY_STATES = /^(08|57P|53)/;
const AWAY_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);

function codeOf(error: unknown): string | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Whether a unique key was there already. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** Whether the row is still referred to, or refers to one that is gone. */
export function isForeignKeyViolation(error: unknown): boolean {
  return codeOf(error) === FOREIGN_KEY_VIOLATION;
}

/** Whether a text held a character that Postgres cannot store, such as NUL. */
export function isUnstorableText(error: unknown): boolean {
  const code = codeOf(error);
  return code === CHARACTER_NOT_IN_REPERTOIRE || code === UNTRANSLATABLE_CHARACTER;
}

/** Whether Postgres could not be reached; the same call may succeed once it is back. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return AWAY_STATES.test(code) || AWAY_ERRNOS.has(code);
  // pg's pool gives these two without a code; there is nothing else to tell them by.
  const message = error instanceof Error ? error.message : '';
  return (
    message.startsWith('Connection terminated') ||
    message.startsWith('timeout exceeded when trying to connect')
  );
}
