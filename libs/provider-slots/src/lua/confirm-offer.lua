-- confirm-offer: whether an announced offer still stands unclaimed.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- ARGV[3]  lease id of the offer
-- Returns  {'open'} | {'closed'}

local placeId, leaseId = ARGV[2], ARGV[3]
local offer = redis.call('HMGET', placeKey(placeId), 'state', 'leaseId')
return { offer[1] == 'offered' and offer[2] == leaseId and 'open' or 'closed' }
