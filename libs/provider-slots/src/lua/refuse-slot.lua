-- refuse-slot: the endpoint told us to pause: gives the lease back, closes the gate and takes unclaimed offers back.
--
-- Guarantee: one step, so that nobody is admitted between the refusal and the gate. A stale lease frees nothing,
-- but closes the gate: the endpoint's answer is no less true.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- ARGV[3]  lease id
-- ARGV[4]  name of the endpoint's cap
-- ARGV[5]  for how long, in ms
-- ARGV[6]  reason
-- Returns  {'refused'} | {'stale'}

local placeId, leaseId, endpointCap, forMs, reason = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
expireDue({ [placeId] = true })
local place = readOwn(placeId, leaseId)
if place then endLease(place, 'refused') end
local cap = readCap(endpointCap)
closeGate(cap, now + forMs, reason)
takeBackOffers(cap)
serveFreed()
return { place and 'refused' or 'stale' }
