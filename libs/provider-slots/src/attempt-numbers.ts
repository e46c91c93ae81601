import { randomBytes } from 'node:crypto';

/** What tells one attempt of this process from all others, and numbers leases while Redis cannot. */
export class AttemptNumbers {
  private readonly me = randomBytes(9).toString('base64url');
  private nonces = 0;
  /** The latest number that Redis gave, and when, on this process's monotonic clock. */
  private newest: { readonly id: number; readonly at: number } | undefined;

  nextNonce(): string {
    this.nonces += 1;
    return `${this.me}${this.nonces}`;
  }

  /** Redis gave this lease id. */
  heard(id: number): void {
    if (id > (this.newest?.id ?? 0)) this.newest = { id, at: performance.now() };
  }

  /**
   * About the number that Redis would give now, since its numbers are its time in µs, with a second's chance
   * added so that two processes do not meet. Only who never heard of Redis goes by its own clock.
   */
  nextLocalId(): string {
    const { newest } = this;
    const base = newest ? newest.id + (performance.now() - newest.at) * 1_000 : Date.now() * 1_000;
    return String(Math.ceil(base + Math.random() * 1_000_000));
  }
}
