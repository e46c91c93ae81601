/** The hash tag that keeps all slot keys on one node, so that one script may take several caps. */
const SLOTS_TAG = '{slots}';

/** The hash tag of Bull's keys: its scripts touch several keys of one queue. */
const QUEUES_TAG = '{bull}';

/** Root of every key of the slot semaphore, `questline:{slots}` by default. */
export function slotsRoot(prefix: string): string {
  return `${prefix}:${SLOTS_TAG}`;
}

/** Prefix that Bull puts before its own keys. */
export function queuesRoot(prefix: string): string {
  return `${prefix}:${QUEUES_TAG}`;
}
