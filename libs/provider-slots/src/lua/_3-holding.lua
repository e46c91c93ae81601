-- Prelude 3: taking slots and giving them back, where nobody waits and nothing is due. What else there is to do is
-- in the queue:

local serveCap, workOff    -- preludes 5 and 6

local function markFreed(capName, depth)
  if freed[capName] == nil then freedCount = freedCount + 1 end
  freed[capName] = math.max(freed[capName] or depth, depth)
end

local function markAllFreed(place)
  for i, name in ipairs(place.capNames) do markFreed(name, #place.capNames - i) end
end

-- Takes a slot in each of the place's caps. `isOffer`: for the time being, until it is claimed.
local function take(place, deadline, isOffer)
  local score = int(isOffer and -deadline or deadline)
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    addHeld(cap, place.placeId, score)
    countProbe(cap, place.placeId)
  end
  setDue('p:' .. place.placeId, isOffer and deadline or score)
end

-- Gives its slots back, held, overrun or offered.
local function vacate(place)
  for _, name in ipairs(place.capNames) do
    if place.state == 'overrun' then
      removeOverrun(readCap(name), place.placeId)
    else
      removeHeld(readCap(name), place.placeId)
    end
  end
  markAllFreed(place)
end

-- The first cap that keeps a newcomer from being granted; nil: it may be granted at once. Whoever waits on
-- a cap comes first, also when there is room and only nobody has served them yet.
local function blockerOf(capNames)
  for _, name in ipairs(capNames) do
    local cap = readCap(name)
    local reason = blockReason(cap)
    if reason then return cap, reason end
    if hasWaiters(cap) then return cap, cap.gateUntil and 'gate' or 'cap' end
  end
  return nil
end

-- Narrowest first, so that a lane which its own cap lets go takes part in the order of the wider one.
local function serveFreed()
  while freedCount > 0 do
    local name, depth
    for candidate, candidateDepth in pairs(freed) do
      if depth == nil or candidateDepth > depth or (candidateDepth == depth and candidate < name) then
        name, depth = candidate, candidateDepth
      end
    end
    freed[name] = nil
    freedCount = freedCount - 1
    if hasWaiters(readCap(name)) then serveCap(readCap(name)) end
  end
end

-- Works off what has fallen due, whoever it belongs to. `mine`: the caller's own places, which are still its own
-- however late it comes.
local function expireDue(mine)
  local due = redis.call('ZRANGEBYSCORE', DUE, '-inf', nowText, 'LIMIT', 0, MAX_STEPS)
  if #due > 0 then workOff(due, mine) end
  serveFreed()
end

local function countWaiting(capName, by)
  if by ~= 0 then redis.call('HINCRBY', capKey(capName), 'waiting', by) end
end

-- The claim of an offer whose holder is already past it: it may finish before its claim lands.
local function claimFirst(place)
  if place.state ~= 'offered' then return end
  countWaiting(place.at, -1)
  if hasText(place.wake) then clearDue('w:' .. place.placeId) end
  place.state = 'held'
  place.grantedAt = nil
end

local SAMPLES = 64

-- `outcome`: ok, failed, aborted, refused. Only a hold that ended well says how long holds are.
local function endLease(place, outcome)
  claimFirst(place)
  vacate(place)
  local holdMs = place.grantedAt and now - tonumber(place.grantedAt) or 0
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    settleProbe(cap, place.placeId, outcome)
    if outcome ~= 'refused' then redis.call('HINCRBY', capKey(name), 'turnover', 1) end
    if outcome == 'ok' and holdMs > 0 then
      local count = redis.call('LPUSH', samplesKey(name), int(holdMs) .. ':' .. (place.work or ''))
      if count == 1 then touch(samplesKey(name)) end
      if count > 2 * SAMPLES then redis.call('LTRIM', samplesKey(name), 0, SAMPLES - 1) end
    end
  end
  -- A predecessor may still be about; it must find that the place has moved on.
  if place.takenOver == '1' then
    writePlace(place, settings.tombstoneMs, 'state', 'ended')
    clearDue('p:' .. place.placeId)
  else
    erasePlace(place)
  end
  return holdMs
end

-- The place when this lease is the one in force, or on offer, there.
local function readOwn(placeId, leaseId)
  local place = readPlace(placeId)
  if not place or place.leaseId ~= leaseId then return nil end
  if isInUse(place) or place.state == 'offered' then return place end
  return nil
end
