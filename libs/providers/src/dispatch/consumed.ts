import type { Meter } from './meter';

/** Kept beside the error, whatever its class, so that no error needs to know of meters. */
const consumedByError = new WeakMap<object, Meter>();

/** Notes on an error what its call had consumed before it; returns the error. */
export function noteConsumed<E>(error: E, meter: Meter): E {
  if (typeof error === 'object' && error !== null) consumedByError.set(error, meter);
  return error;
}

/** What a call that threw this error had already been paid for; the usage row counts it all the same. */
export function consumedBy(error: unknown): Meter | undefined {
  return typeof error === 'object' && error !== null ? consumedByError.get(error) : undefined;
}
