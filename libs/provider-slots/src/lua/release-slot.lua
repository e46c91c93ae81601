-- release-slot: gives a lease's slots back and hands them to those who wait for them.
--
-- Guarantee: idempotent; a stranger's, a predecessor's or an expired lease frees nothing.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- ARGV[3]  lease id
-- ARGV[4]  outcome: ok | failed | aborted
-- Returns  {'released', hold in ms} | {'stale'}
--
-- Only `ok` accepts a probe of the gate early.

local placeId, leaseId, outcome = ARGV[2], ARGV[3], ARGV[4]
expireDue({ [placeId] = true })
local place = readOwn(placeId, leaseId)
if not place then return { 'stale' } end
local holdMs = endLease(place, outcome)
serveFreed()
return { 'released', int(holdMs) }
