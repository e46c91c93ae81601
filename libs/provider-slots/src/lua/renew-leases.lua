-- renew-leases: keeps all of one process's leases and in-place waiters alive in one step.
--
-- Guarantee: paid work is never ended for coming late: without room it goes on as an overrun, which counts
-- for admission but not as held. Who was taken over learns it here.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  leases (JSON): [[place id, lease id], ...]
-- ARGV[3]  waiters (JSON): [place id, ...]
-- Returns  {'renewed', JSON}: per lease one of held | overrun | lost | unknown, per waiter its state or 'unknown'

local leases, waiters = cjson.decode(ARGV[2]), cjson.decode(ARGV[3])
local mine = {}
for _, lease in ipairs(leases) do mine[lease[1]] = true end
for _, placeId in ipairs(waiters) do mine[placeId] = true end
expireDue(mine)

local function keep(place, state, deadline)
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    if state == 'held' then addHeld(cap, place.placeId, deadline) else addOverrun(cap, place.placeId, deadline) end
    keepCap(cap)
  end
  setDue('p:' .. place.placeId, deadline)
  writePlace(place, deadline - now, 'state', state)
  return state
end

local function renew(placeId, leaseId)
  local place = readPlace(placeId)
  if not place then return 'unknown' end
  if place.leaseId ~= leaseId then
    -- After a wipe a predecessor may have told of itself first; the later lease wins, by telling of itself.
    local isOutlived = isInUse(place) and tonumber(place.leaseId) < tonumber(leaseId)
    return isOutlived and 'unknown' or 'lost'
  end
  local deadline = now + (tonumber(place.leaseMs) or settings.leaseMs)
  if place.state == 'offered' then claimFirst(place) end
  if place.state == 'held' then return keep(place, 'held', deadline) end
  if place.state ~= 'overrun' and place.state ~= 'lapsed' then return 'lost' end
  -- Late: back among the held when all caps have room for it, its own overrun not counted twice.
  local own = place.state == 'overrun' and 1 or 0
  local fits = true
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    if cap.limit and usedOf(cap) - own >= cap.limit then fits = false end
  end
  if own == 1 and fits then
    for _, name in ipairs(place.capNames) do removeOverrun(readCap(name), placeId) end
  end
  return keep(place, fits and 'held' or 'overrun', deadline)
end

-- Of how long a waiter may be silent, the part after which its word is written down anew: most times that a process
-- speaks for a thousand waiters, reading is enough.
local KEPT_PART = 0.4

local function keepWaiting(placeId)
  local fields = redis.call('HMGET', placeKey(placeId), 'state', 'keptAt', 'lane', 'expiresAt')
  local state, keptAt = fields[1] or 'unknown', tonumber(fields[2] or nil) or 0
  if state ~= 'waiting' or now - keptAt < KEPT_PART * settings.waitAliveMs then return state end
  local lane = readLane(fields[3])
  -- Lost by itself; asking again makes it anew.
  if not lane then return 'unknown' end
  setDue('p:' .. placeId, math.min(now + settings.waitAliveMs, tonumber(fields[4] or nil) or math.huge))
  redis.call('HSET', placeKey(placeId), 'keptAt', now)
  touch(placeKey(placeId))
  keepLane(lane)
  keepCap(readCap(lane.at))
  return state
end

local leaseStates, waiterStates = {}, {}
for i, lease in ipairs(leases) do leaseStates[i] = renew(lease[1], lease[2]) end
for i, placeId in ipairs(waiters) do waiterStates[i] = keepWaiting(placeId) end
return { 'renewed', cjson.encode({ leases = leaseStates, waiters = waiterStates }) }
