-- Prelude 6: what has fallen due.

-- Puts a place back into its lane, to wait on the cap that blocks it.
local function putBack(place)
  local blocker = blockerOf(place.capNames)
  local at = blocker and blocker.name or place.at
  joinLane(place, at)
  writePlace(place, settings.parkMs, 'state', 'waiting', 'leaseId', '', 'lane', place.lane)
  local isInPlace = hasText(place.channel)
  local deadline = now + (isInPlace and settings.waitAliveMs or settings.parkMs)
  setDue('p:' .. place.placeId, math.min(deadline, tonumber(place.expiresAt) or math.huge))
end

-- The unclaimed offers of a closed gate, at most so many in one script; the rest by a continuation.
local function takeBackOffers(cap)
  local offered = redis.call('ZRANGEBYSCORE', heldKey(cap.name), '-inf', 0, 'LIMIT', 0, MAX_STEPS + 1)
  for i, placeId in ipairs(offered) do
    if i > MAX_STEPS then return setDue('s:' .. cap.name, now) end
    local place = readPlace(placeId)
    if place then
      withdrawOffer(place)
      putBack(place)
    else
      removeHeld(cap, placeId)
    end
  end
end

local function expirePlace(place)
  if isInUse(place) then
    vacate(place)
    for _, name in ipairs(place.capNames) do
      settleProbe(readCap(name), place.placeId, 'none')
      redis.call('HINCRBY', capKey(name), 'turnover', 1)
    end
    writePlace(place, settings.tombstoneMs, 'state', 'lapsed')
    clearDue('p:' .. place.placeId)
  elseif place.state == 'offered' then
    withdrawOffer(place)
    if hasText(place.expiresAt) and tonumber(place.expiresAt) <= now then erasePlace(place) else setAside(place) end
  else
    if place.state == 'waiting' then leaveLane(place) end
    erasePlace(place)
  end
end

local function gateFellDue(cap)
  if not cap.gateUntil or isGateClosed(cap) then return clearDue('g:' .. cap.name) end
  for _, placeId in ipairs(redis.call('ZRANGEBYSCORE', probesKey(cap.name), '-inf', now, 'LIMIT', 0, MAX_STEPS)) do
    acceptProbe(cap, placeId)
  end
  local next = cap.gateUntil and redis.call('ZRANGE', probesKey(cap.name), 0, 0, 'WITHSCORES')
  if next and next[2] and next[2] ~= 'inf' then setDue('g:' .. cap.name, tonumber(next[2])) else clearDue('g:' .. cap.name) end
  markFreed(cap.name, 0)
end

function workOff(due, mine)
  for _, member in ipairs(due) do
    local kind, name = string.sub(member, 1, 1), string.sub(member, 3)
    if kind == 'p' then
      local place = not mine[name] and readPlace(name)
      if place then expirePlace(place) elseif not mine[name] then clearDue(member) end
    elseif kind == 'g' then
      gateFellDue(readCap(name))
    elseif kind == 's' then
      clearDue(member)
      local cap = readCap(name)
      if isGateClosed(cap) then takeBackOffers(cap) else markFreed(name, 0) end
    elseif kind == 'w' then
      clearDue(member)
      local place = readPlace(name)
      if place and place.state == 'offered' then announce(place) end
    end
  end
end
