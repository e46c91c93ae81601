-- Prelude 4: granting, offering, giving back, and serving those who wait for what came free.

local freed = {}      -- cap name -> how many caps are wider than it
local freedCount = 0
local stepsLeft = MAX_STEPS

local function markFreed(capName, depth)
  if freed[capName] == nil then freedCount = freedCount + 1 end
  freed[capName] = math.max(freed[capName] or 0, depth)
end

local function markAllFreed(place)
  for i, name in ipairs(place.capNames) do markFreed(name, #place.capNames - i) end
end

-- Takes a slot in each of the place's caps. `isOffer`: for the time being, until it is claimed.
local function take(place, deadline, isOffer)
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    addHeld(cap, place.placeId, isOffer and -deadline or deadline)
    countProbe(cap, place.placeId)
  end
  setDue('p:' .. place.placeId, deadline)
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

-- Vacates an offer that came to nothing; the group's turn is refunded.
local function withdrawOffer(place)
  vacate(place)
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    settleProbe(cap, place.placeId, 'none')
    refund(cap, queueGroup(place.group))
  end
  countWaiting(place.at, -1)
  if place.wake ~= '' then clearDue('w:' .. place.placeId) end
end

local MOST_WAKES = 4096

local function announce(place)
  if place.channel and place.channel ~= '' then
    return redis.call('PUBLISH', place.channel, cjson.encode({ placeId = place.placeId, leaseId = place.leaseId }))
  end
  if place.wake and place.wake ~= '' then
    local count = redis.call('RPUSH', WAKES, cjson.encode({ placeId = place.placeId, leaseId = place.leaseId, wake = place.wake }))
    touch(WAKES)
    -- Nobody takes them off. Those that are lost here are announced again.
    if count > MOST_WAKES then redis.call('LTRIM', WAKES, -MOST_WAKES, -1) end
    setDue('w:' .. place.placeId, now + settings.announceMs)
  end
  return 1
end

-- Sets the place aside with its ticket: it is offered nothing until it asks again.
local function setAside(place)
  local deadline = math.min(now + settings.parkMs, tonumber(place.expiresAt) or math.huge)
  writePlace(place, settings.parkMs, 'state', 'aside', 'leaseId', '')
  setDue('p:' .. place.placeId, deadline)
end

local function offer(place, lane)
  local isInPlace = place.channel and place.channel ~= ''
  local deadline = now + (isInPlace and settings.waitClaimMs or settings.claimMs)
  take(place, math.min(deadline, tonumber(place.expiresAt) or math.huge), true)
  for _, name in ipairs(place.capNames) do
    if name ~= lane.at then charge(readCap(name), queueGroup(place.group)) end
  end
  local tag = chargeHead(readCap(lane.at), lane.group)
  redis.call('ZREM', waitersKey(lane.id), place.placeId)
  refreshLane(lane, tag)
  changePlace(place, 'state', 'offered', 'leaseId', nextSeq(), 'at', lane.at, 'deadline', int(deadline))
  -- Nobody listens: the process is gone, or its subscription is, and then it asks again by itself.
  if announce(place) == 0 then
    withdrawOffer(place)
    setAside(place)
  end
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

-- Where the head of a lane queued on `here` has to wait instead: a cap without room, or a wider one with room
-- and waiters of its own, whose order it then takes part in.
local function betterCapFor(place, here)
  local isWider = false
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    if blockReason(cap) then return cap end
    if isWider and hasWaiters(cap) then return cap end
    if name == here then isWider = true end
  end
  return nil
end

local function serveCap(cap, depth)
  while stepsLeft > 0 do
    if blockReason(cap) or not hasWaiters(cap) then return end
    local first = redis.call('ZRANGE', groupsKey(cap.name), 0, 0)[1]
    stepsLeft = stepsLeft - 1
    local laneId = redis.call('ZRANGE', lanesKey(cap.name, string.sub(first, 18)), 0, 0)[1]
    local lane = readLane(laneId)
    cap.heads[lane.group] = tonumber(string.sub(first, 1, 16))
    local place = readPlace(redis.call('ZRANGE', waitersKey(laneId), 0, 0)[1])
    local better = betterCapFor(place, cap.name)
    if not better then
      offer(place, lane)
    else
      moveLane(lane, better.name)
      if not blockReason(better) then markFreed(better.name, math.max(0, depth - 1)) end
    end
  end
  setDue('s:' .. cap.name, now)
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
    serveCap(readCap(name), depth)
  end
end
