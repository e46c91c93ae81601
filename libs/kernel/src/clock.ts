/** The one way this codebase reads the time, so a test can hold it still. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;

  /** The pinned time in tests; undefined in production, where Redis and Postgres use their own clock. */
  abstract pinned(): number | undefined;
}

/** The machine's own clock. */
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  pinned(): undefined {
    return undefined;
  }
}
