import { isId, ValidationFailedError } from '@app/kernel';

/** One page of a list, newest first. */
export interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** @throws ValidationFailedError when the cursor is not one of ours. */
export function decodeCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!isId(id))
    throw new ValidationFailedError([{ field: 'cursor', problem: 'is not a cursor of this list' }]);
  return id;
}

/** Makes a page from `limit + 1` rows: the one too many only says that there are more. */
export function toPage<R extends { id: string }, T>(
  rows: readonly R[],
  limit: number,
  present: (row: R) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    items: shown.map(present),
    next_cursor: hasMore ? Buffer.from(last.id).toString('base64url') : null,
  };
}
