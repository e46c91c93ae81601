import { useState } from 'react';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 14;

/** Two days (UTC) with both ends included, as the fields show them and as the API is asked. */
export function usePeriod() {
  const [from, setFrom] = useState(() => dayOf(Date.now() - (USUAL_DAYS - 1) * DAY_MS));
  const [to, setTo] = useState(() => dayOf(Date.now()));
  const isValid = /^\d{4}-\d{2}-\d{2}$/.test(from) && /^\d{4}-\d{2}-\d{2}$/.test(to) && from <= to;
  return {
    from,
    to,
    setFrom,
    setTo,
    isValid,
    query: isValid
      ? { from: `${from}T00:00:00Z`, to: new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString() }
      : {},
  };
}

export type Period = ReturnType<typeof usePeriod>;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
