import type { ResolvedOptions } from './slots-options';

/** How long an in-place waiter has to confirm an offer. */
const WAIT_CLAIM_MS = 2_000;
/** An in-place waiter whose process has not been heard of for this long is gone. */
const WAIT_ALIVE_MS = 10_000;
/** Grace after a parked place's next expected try. */
const PARK_GRACE_MS = 600_000;
/** An unclaimed offer to a parked place is put on the list of wakes again after this, whoever lost the first one. */
const ANNOUNCE_MS = 1_000;
/** What the scripts take from the options, as the Lua line that comes before them. */
export function scriptSettings({
  order,
  leaseMs,
  claimMs,
  nextTryMs,
  idleMs,
  probeMs,
}: ResolvedOptions): string {
  const settings = {
    order,
    leaseMs: Math.ceil(leaseMs),
    claimMs: Math.ceil(claimMs),
    idleMs: Math.ceil(idleMs),
    probeMs: Math.ceil(probeMs),
    parkMs: Math.ceil(nextTryMs) + PARK_GRACE_MS,
    waitClaimMs: WAIT_CLAIM_MS,
    waitAliveMs: WAIT_ALIVE_MS,
    announceMs: ANNOUNCE_MS,
    tombstoneMs: Math.max(2 * Math.ceil(leaseMs), PARK_GRACE_MS),
  };
  const fields = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return `local settings = { ${fields.join(', ')} }`;
}
