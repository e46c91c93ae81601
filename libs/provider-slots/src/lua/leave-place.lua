-- leave-place: the waiter goes; those behind it move up, and an offer it had goes on to the next.
--
-- Guarantee: idempotent; a held place is left alone.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- ARGV[3]  lease id of the offer that is left, or '' for whatever state it is in
-- Returns  {'left'} | {'stale'}

local placeId, leaseId = ARGV[2], ARGV[3]
expireDue({ [placeId] = true })
local place = readPlace(placeId)
local isMeant = place and not isInUse(place) and (leaseId == '' or place.leaseId == leaseId)
if not isMeant or place.state == 'ended' or place.state == 'lapsed' then return { 'stale' } end
if place.state == 'offered' then withdrawOffer(place) end
if place.state == 'waiting' then leaveLane(place) end
erasePlace(place)
serveFreed()
return { 'left' }
