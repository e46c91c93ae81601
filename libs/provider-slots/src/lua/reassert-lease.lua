-- reassert-lease: a running holder tells a store that lost its state about its lease.
--
-- Guarantee: never refused for lack of room (then it is an overrun), never in the way of a place that has moved on.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  settings (JSON)
-- ARGV[3]  lease (JSON): placeId, leaseId, nonce, caps [{name, limit, labels}], group, ticket, work, leaseMs
-- Returns  {'held'} | {'overrun'} | {'lost'}
--
-- Lease ids rise, so of two holders of one place the later one wins, whoever asks first.

local lease = cjson.decode(ARGV[3])
expireDue({ [lease.placeId] = true })
local place = readPlace(lease.placeId)
if place and place.leaseId == lease.leaseId and isInUse(place) then return { place.state } end
if place then
  if not isInUse(place) or tonumber(place.leaseId) > tonumber(lease.leaseId) then return { 'lost' } end
  vacate(place)
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
  'since', int(now), 'deadline', int(deadline), 'leaseMs', int(lease.leaseMs), 'expiresAt', '', 'takenOver', '1')
serveFreed()
return { place.state }
