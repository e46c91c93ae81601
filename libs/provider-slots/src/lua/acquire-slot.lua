-- acquire-slot: asks for a slot in each of the request's caps: a fresh wish, a claim, a retry or a take-over.
--
-- Guarantee: all caps or none; nobody who waits and could be served is passed.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  request (JSON): placeId, nonce, mode (try | park | wait), caps [{name, limit, labels}], group, ticket,
--          work, wake, channel, expiresInMs, leaseMs
-- Returns  {'granted', fresh | claim | again | takeover, lease id, ticket, waited ms, predicted ms, ms since that} |
--          {'parked', JSON} | {'busy', JSON} | {'conflict'} |
--          {'disowned'}: this attempt was given up before it arrived
--
-- The same nonce on a held place is the same call asking twice; another nonce takes the lease over.

local request = cjson.decode(ARGV[2])
expireDue({ [request.placeId] = true })

local capNames = {}
for i, asked in ipairs(request.caps) do
  capNames[i] = asked.name
  local cap = readCap(asked.name)
  if cap.asked ~= asked.limit then
    local before = cap.limit
    cap.asked = asked.limit
    cap.limit = cap.override or asLimit(asked.limit)
    redis.call('HSET', capKey(cap.name), 'limit', asked.limit, 'labels', asked.labels)
    if before and (cap.limit == nil or cap.limit > before) then markFreed(cap.name, #request.caps - i) end
  end
  keepCap(cap)
end
serveFreed()

local capsText = table.concat(capNames, '\n')
local place = readPlace(request.placeId)
if place and place.disowned == request.nonce then return { 'disowned' } end

local function granted(kind)
  local isFirst = place.predictedMs and (kind == 'fresh' or kind == 'claim')
  return { 'granted', kind, place.leaseId, place.ticket, now - tonumber(place.since),
    isFirst and tonumber(place.predictedMs) or '', isFirst and now - tonumber(place.predictedAt) or '' }
end

local leaseMs = request.leaseMs or settings.leaseMs

local function hold(kind, leaseId, grantedAt)
  local deadline = now + leaseMs
  local isOverrun = place.state == 'overrun'
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    if isOverrun then addOverrun(cap, place.placeId, deadline) else addHeld(cap, place.placeId, deadline) end
    startProbe(cap, place.placeId)
  end
  setDue('p:' .. place.placeId, deadline)
  writePlace(place, leaseMs, 'state', isOverrun and 'overrun' or 'held', 'leaseId', leaseId, 'nonce', request.nonce,
    'leaseMs', leaseMs, 'grantedAt', grantedAt, 'takenOver', place.takenOver or '')
  return granted(kind)
end

local function closedGate()
  for _, name in ipairs(place.capNames) do
    if isGateClosed(readCap(name)) then return true end
  end
  return false
end

if place and isInUse(place) then
  if place.caps ~= capsText then return { 'conflict' } end
  if place.nonce == request.nonce then return hold('again', place.leaseId, place.grantedAt or now) end
  place.takenOver = '1'
  if not closedGate() then return hold('takeover', nextSeq(), now) end
  -- Nobody starts behind a closed gate: the slot goes back, and the place waits like any other.
  vacate(place)
  place.state = 'aside'
elseif place and place.state == 'offered' then
  if place.caps == capsText and not closedGate() then
    countWaiting(place.at, -1)
    if hasText(place.wake) then clearDue('w:' .. place.placeId) end
    return hold('claim', place.leaseId, now)
  end
  withdrawOffer(place)
  place.state = 'aside'
  -- Whoever waits for what it gives back comes before its new wish.
  serveFreed()
elseif place and place.state == 'waiting' and place.caps ~= capsText then
  leaveLane(place)
  place.state = 'aside'
end

local isWaiting = place ~= nil and place.state == 'waiting'
local isKnown = place ~= nil and (isWaiting or place.state == 'aside')
local blocker, reason = blockerOf(capNames)
if request.mode == 'try' and blocker then
  -- What it had is given back by now, but its place is its own.
  if place and place.state == 'aside' then setAside(place) end
  serveFreed()
  return { 'busy', cjson.encode({
    cap = blocker.name, reason = reason, gateReason = blocker.gateReason, limit = blocker.limit,
    retryAfterMs = isGateClosed(blocker) and blocker.gateUntil - now or 0,
  }) }
end

-- A live place's ticket counts; of two the earlier, since a row may remember more than a wiped store.
local ticket = request.ticket
if ticket then raiseSeq(tonumber(ticket)) end
local keepsTicket = isKnown or (place ~= nil and place.state == 'lapsed')
if keepsTicket and (not ticket or tonumber(place.ticket) < tonumber(ticket)) then ticket = place.ticket end
if isWaiting and ticket ~= place.ticket then leaveLane(place) end

local expiresAt = request.expiresInMs and now + request.expiresInMs or ''
local since = isKnown and place.since or nowText
-- A holder from before may still be about.
local isSecond = place and (place.takenOver == '1' or place.state == 'lapsed' or place.state == 'ended')
local takenOver = isSecond and '1' or ''
local isNew = place == nil
place = place or { placeId = request.placeId }
place.capNames = capNames
if isWaiting and blocker == nil then leaveLane(place) end

if blocker == nil then
  local deadline = now + leaseMs
  local leaseId = nextSeq()
  -- Nobody waits on any of them, else that cap would be the blocker: there is no turn to charge.
  take(place, deadline, false)
  for _, name in ipairs(capNames) do startProbe(readCap(name), place.placeId) end
  place.leaseId, place.ticket, place.since = leaseId, ticket or leaseId, since
  redis.call('HSET', placeKey(place.placeId), 'state', 'held', 'leaseId', leaseId, 'nonce', request.nonce,
    'caps', capsText, 'group', request.group, 'ticket', place.ticket, 'since', since, 'grantedAt', nowText)
  keepPlace(place.placeId, leaseMs)
  if request.work or not isNew then changePlace(place, 'work', request.work or '') end
  if request.leaseMs or not isNew then changePlace(place, 'leaseMs', leaseMs) end
  if not isNew then changePlace(place, 'expiresAt', expiresAt, 'takenOver', takenOver, 'wake', '', 'channel', '') end
  serveFreed()
  return granted('fresh')
end

local aliveMs = request.channel and settings.waitAliveMs or settings.parkMs
place.ticket, place.group, place.caps = ticket or nextSeq(), request.group, capsText
joinLane(place, blocker.name)
writePlace(place, settings.parkMs, 'state', 'waiting', 'leaseId', '', 'nonce', request.nonce, 'caps', capsText,
  'group', request.group, 'ticket', place.ticket, 'work', request.work or '', 'since', since, 'expiresAt', expiresAt,
  'takenOver', takenOver, 'wake', request.wake or '', 'channel', request.channel or '', 'lane', place.lane,
  'keptAt', now)
setDue('p:' .. place.placeId, math.min(now + aliveMs, tonumber(expiresAt) or math.huge))
serveFreed()
return { 'parked', cjson.encode({
  ticket = place.ticket, cap = blocker.name, reason = reason, gateReason = blocker.gateReason, limit = blocker.limit,
  turnover = blocker.name .. '#' .. (redis.call('HGET', capKey(blocker.name), 'turnover') or '0'),
  retryAfterMs = isGateClosed(blocker) and blocker.gateUntil - now or 0,
}) }
