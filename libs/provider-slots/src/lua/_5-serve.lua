-- Prelude 5: offering what came free to those who wait for it.

-- Vacates an offer that came to nothing; the group's turn is refunded.
local function withdrawOffer(place)
  vacate(place)
  for _, name in ipairs(place.capNames) do settleProbe(readCap(name), place.placeId, 'none') end
  refund(readCap(place.at), queueGroup(place.group))
  countWaiting(place.at, -1)
  if hasText(place.wake) then clearDue('w:' .. place.placeId) end
end

local MOST_WAKES = 4096

local function announce(place)
  if hasText(place.channel) then
    return redis.call('PUBLISH', place.channel, cjson.encode({ placeId = place.placeId, leaseId = place.leaseId }))
  end
  if hasText(place.wake) then
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
  local isInPlace = hasText(place.channel)
  local deadline = now + (isInPlace and settings.waitClaimMs or settings.claimMs)
  take(place, math.min(deadline, tonumber(place.expiresAt) or math.huge), true)
  local tag = chargeHead(readCap(lane.at), lane.group)
  redis.call('ZREM', waitersKey(lane.id), place.placeId)
  refreshLane(lane, tag)
  changePlace(place, 'state', 'offered', 'leaseId', nextSeq(), 'at', lane.at)
  -- Nobody listens: the process is gone, or its subscription is, and then it asks again by itself.
  if announce(place) == 0 then
    withdrawOffer(place)
    setAside(place)
  end
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

-- Somebody else may come free in this very script, by a cap that this place knows nothing of: two leases ran out at
-- once. Whose turn it is shows on the widest cap alone, once both stand there; nil when that is not needed.
local function contestedCapOf(place, here)
  local own, widest = {}, place.capNames[#place.capNames]
  if widest == here then return nil end
  for _, name in ipairs(place.capNames) do own[name] = true end
  for name in pairs(freed) do
    if not own[name] and hasWaiters(readCap(name)) then return widest end
  end
  return nil
end

-- Whose turn it is; nil when what stood there has expired, and then it stands there no more.
local function firstInLine(cap)
  local first = redis.call('ZRANGE', groupsKey(cap.name), 0, 0)[1]
  local group = string.sub(first, 18)
  cap.heads[group] = tonumber(string.sub(first, 1, 16))
  local laneId = redis.call('ZRANGE', lanesKey(cap.name, group), 0, 0)[1]
  local lane = laneId and readLane(laneId)
  local placeId = lane and redis.call('ZRANGE', waitersKey(laneId), 0, 0)[1]
  local place = placeId and readPlace(placeId)
  if place then return lane, place end
  if placeId then
    redis.call('ZREM', waitersKey(laneId), placeId)
    countWaiting(cap.name, -1)
    refreshLane(lane)
  elseif laneId then
    placeLane({ id = laneId, group = group }, cap, nil)
  else
    redis.call('ZREM', groupsKey(cap.name), first)
    cap.heads[group], cap.waiters = nil, nil
  end
end

function serveCap(cap)
  while stepsLeft > 0 do
    if blockReason(cap) or not hasWaiters(cap) then return end
    stepsLeft = stepsLeft - 1
    local lane, place = firstInLine(cap)
    local better = place and betterCapFor(place, cap.name)
    local widest = place and not better and contestedCapOf(place, cap.name)
    if better then
      -- If it has room, then it is yet to be served: in this script, or by the continuation of an earlier one.
      moveLane(lane, better.name)
    elseif widest then
      moveLane(lane, widest)
      -- After all the others, whatever they were found by.
      markFreed(widest, -1)
    elseif place then
      offer(place, lane)
    end
  end
  setDue('s:' .. cap.name, now)
end
