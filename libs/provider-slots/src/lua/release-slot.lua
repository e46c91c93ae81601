-- release-slot: gives a lease's slots back and hands them to those who wait for them.
--
-- Guarantee: idempotent; a stranger's, a predecessor's or an expired lease frees nothing.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  settings (JSON)
-- ARGV[3]  place id
-- ARGV[4]  lease id
-- ARGV[5]  outcome: ok | failed | aborted
-- Returns  {'released', hold in ms} | {'stale'}
--
-- Only `ok` accepts a probe of the gate early.

local placeId, leaseId, outcome = ARGV[3], ARGV[4], ARGV[5]
expireDue({ [placeId] = true })
local place = readOwn(placeId, leaseId)
if not place then return { 'stale' } end
local holdMs = endLease(place, outcome)
serveFreed()
return { 'released', int(holdMs) }
