import { AsyncLocalStorage } from 'node:async_hooks';

/** Code that answers an HTTP request: it never waits for a slot. */
export interface HttpScope {
  readonly kind: 'http';
  readonly requestId: string;
  teamId?: string;
}

/**
 * Code that runs one attempt of a job. `providerCalls` counts the calls that got their slot in this
 * attempt: while it is 0 nothing has been paid for, and a full cap parks the job instead of blocking it.
 */
export interface JobScope {
  readonly kind: 'job';
  readonly requestId: string;
  teamId?: string;
  providerCalls: number;
  /** Sends of one call that was refused and then parked; the next attempt's first call goes on from there. */
  parkedSends: number;
}

export type Scope = HttpScope | JobScope;

/**
 * Where the running code stands, carried beside the call stack, so that what happens at a full cap is a
 * property of the place and never an argument of the call.
 */
export class RequestScope {
  private readonly storage = new AsyncLocalStorage<Scope>();

  run<T>(scope: Scope, work: () => T): T {
    return this.storage.run(scope, work);
  }

  /** Undefined outside a request or job, for instance at boot. */
  current(): Scope | undefined {
    return this.storage.getStore();
  }

  /** Runs work outside any scope: for queues, timers and listeners that would else carry their creator's scope for ever. */
  exit<T>(work: () => T): T {
    return this.storage.exit(work);
  }
}

/** A scope for one attempt of a job, with nothing paid for yet. `parkedSends`: of the attempt before. */
export function newJobScope(requestId: string, teamId?: string, parkedSends = 0): JobScope {
  return { kind: 'job', requestId, teamId, providerCalls: 0, parkedSends };
}
