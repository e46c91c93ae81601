-- reassert-lease: a running holder tells a store that lost its state about its lease.
--
-- Guarantee: never refused for lack of room (then it is an overrun), never in the way of a place that has moved on.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  lease (JSON): placeId, leaseId, nonce, caps [{name, limit, labels}], group, ticket, work, leaseMs,
--          degraded: whether it was granted while the store was away
-- Returns  {'held'} | {'overrun'} | {'lost'}
--
-- Lease ids rise, so of two holders of one place the later one wins, whoever asks first.

local lease = cjson.decode(ARGV[2])
expireDue({ [lease.placeId] = true })
local place = readPlace(lease.placeId)
if place and place.leaseId == lease.leaseId and isInUse(place) then return { place.state } end
if place and place.nonce == lease.nonce and isInUse(place) then
  -- The ask of this very attempt had arrived after all, only its answer had not.
  raiseSeq(tonumber(lease.leaseId))
  changePlace(place, 'leaseId', lease.leaseId)
  return { place.state }
end
if place and lease.degraded and (place.state == 'waiting' or place.state == 'offered' or place.state == 'aside') then
  -- It waits from before the outage; meanwhile its work has begun.
  if place.state == 'waiting' then leaveLane(place) end
  if place.state == 'offered' then withdrawOffer(place) end
elseif place then
  local lastId, ownId = tonumber(place.leaseId) or 0, tonumber(lease.leaseId)
  local isOver = place.state ~= 'lapsed' and (lastId == ownId or not (isInUse(place) or place.state == 'ended'))
  if isOver or lastId > ownId then return { 'lost' } end
  if isInUse(place) then vacate(place) end
end
raiseSeq(tonumber(lease.leaseId))
raiseSeq(tonumber(lease.ticket))

local capNames, fits = {}, true
for i, asked in ipairs(lease.caps) do
  capNames[i] = asked.name
  local cap = readCap(asked.name)
  if not cap.asked then
    cap.asked, cap.limit = asked.limit, cap.override or asLimit(asked.limit)
    redis.call('HSET', capKey(cap.name), 'limit', asked.limit, 'labels', asked.labels)
  end
  keepCap(cap)
  if cap.limit and usedOf(cap) >= cap.limit then fits = false end
end

place = { placeId = lease.placeId, capNames = capNames, group = lease.group, state = fits and 'held' or 'overrun' }
local deadline = now + lease.leaseMs
for _, name in ipairs(capNames) do
  local cap = readCap(name)
  if fits then addHeld(cap, lease.placeId, deadline) else addOverrun(cap, lease.placeId, deadline) end
end
setDue('p:' .. lease.placeId, deadline)
writePlace(place, lease.leaseMs, 'state', place.state, 'leaseId', lease.leaseId, 'nonce', lease.nonce,
  'caps', table.concat(capNames, '\n'), 'group', lease.group, 'ticket', lease.ticket, 'work', lease.work or '',
  'since', now, 'leaseMs', lease.leaseMs, 'expiresAt', '', 'takenOver', '1')
serveFreed()
return { place.state }
