const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * A length of time as one says it of the future: rounded, hedged, never a raw number of seconds and never
 * negative. "less than a minute", "about 12 minutes", "about 2 hours".
 */
export function aboutHowLong(seconds: number): string {
  const known = Math.max(0, seconds);
  if (known < 45) return 'less than a minute';
  const minutes = Math.max(1, Math.round(known / MINUTE));
  if (minutes < 90) return `about ${count(minutes, 'minute')}`;
  const halves = Math.round((known / HOUR) * 2);
  const hours = Math.floor(halves / 2);
  return halves % 2 ? `about ${hours}½ hours` : `about ${count(hours, 'hour')}`;
}

/** When to try again, for a wait that may be short: "in a moment", "in about 30 seconds", "in about 2 minutes". */
export function tryAgainWhen(seconds: number | undefined): string {
  if (seconds === undefined || seconds <= 3) return 'in a moment';
  if (seconds < 55) return `in about ${Math.ceil(seconds / 5) * 5} seconds`;
  return `in ${aboutHowLong(seconds)}`;
}

/** A length that was measured: "8 s", "3 min", "2 h 5 min". */
export function howLong(seconds: number): string {
  const known = Math.max(0, Math.round(seconds));
  if (known < MINUTE) return `${known} s`;
  if (known < HOUR)
    return `${Math.floor(known / MINUTE)} min${known < 10 * MINUTE && known % MINUTE ? ` ${known % MINUTE} s` : ''}`;
  const minutes = Math.floor((known % HOUR) / MINUTE);
  return `${Math.floor(known / HOUR)} h${minutes ? ` ${minutes} min` : ''}`;
}

/** A place in a recording: "0:07", "1:02:33". */
export function timestamp(seconds: number): string {
  const known = Math.max(0, Math.floor(seconds));
  const tail = `${String(Math.floor((known % HOUR) / MINUTE)).padStart(known >= HOUR ? 2 : 1, '0')}:${String(known % MINUTE).padStart(2, '0')}`;
  return known >= HOUR ? `${Math.floor(known / HOUR)}:${tail}` : tail;
}

/** When something happened, as near as one cares: "just now", "5 min ago", "yesterday, 21:40", "3 Nov 2026". */
export function whenItWas(instant: string, now = Date.now()): string {
  const at = new Date(instant);
  const ago = (now - at.getTime()) / 1_000;
  if (ago < 45) return 'just now';
  if (ago < HOUR) return `${Math.max(1, Math.round(ago / MINUTE))} min ago`;
  const clock = at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at.getTime() >= midnight) return `today, ${clock}`;
  if (at.getTime() >= midnight - 24 * HOUR * 1_000) return `yesterday, ${clock}`;
  return at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}

export function count(howMany: number, what: string): string {
  return `${howMany.toLocaleString()} ${what}${howMany === 1 ? '' : 's'}`;
}
