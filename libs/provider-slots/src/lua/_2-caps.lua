-- Prelude 2: caps and their gates.
--
-- A cap has room when  held + offered + overrun < limit  and its gate lets one more through:
--   closed    until gateUntil: nobody
--   probing   after it: `wave` grants, 1 at first; all of them accepted: open, or on an uncapped endpoint twice as many

local function asLimit(text) return text and text ~= '' and tonumber(text) or nil end

-- Read once per script; what the script changes is changed here and in Redis.
local function readCap(name)
  local cap = caps[name]
  if cap then return cap end
  local fields = redis.call('HMGET', capKey(name), 'limit', 'override', 'overruns', 'touchedAt', 'gateUntil')
  cap = {
    name = name,
    asked = fields[1],
    override = asLimit(fields[2]),
    limit = asLimit(fields[2]) or asLimit(fields[1]),
    overruns = tonumber(fields[3] or nil) or 0,
    touchedAt = fields[4],
    gateUntil = tonumber(fields[5] or nil),
    granted = 0,
    held = redis.call('ZCARD', heldKey(name)),
    heads = {},
  }
  if cap.gateUntil then
    local gate = redis.call('HMGET', capKey(name), 'gateReason', 'wave', 'granted')
    cap.gateReason, cap.wave, cap.granted = gate[1] or nil, tonumber(gate[2] or nil), tonumber(gate[3] or nil) or 0
  end
  caps[name] = cap
  return cap
end

-- Held, offered and overrun: all count for admission.
local function usedOf(cap) return cap.held + cap.overruns end

-- The cap is in use: what belongs to it, and the indexes, live on. An override is the operator's word and outlives
-- every idle time. The index of deadlines gets an entry that never falls due, so that it never runs empty.
local function keepCap(cap)
  if not isStale(cap.touchedAt) then return end
  cap.touchedAt = now
  redis.call('HSET', capKey(cap.name), 'touchedAt', now)
  if not cap.override then touch(capKey(cap.name)) end
  touch(heldKey(cap.name))
  touch(overrunKey(cap.name))
  touch(samplesKey(cap.name))
  touch(tagsKey(cap.name))
  touch(groupsKey(cap.name))
  redis.call('ZADD', KNOWN, now, cap.name)
  redis.call('ZREMRANGEBYSCORE', KNOWN, '-inf', now - 2 * settings.idleMs)
  touch(KNOWN)
  redis.call('ZADD', DUE, '+inf', 'i:')
  touch(DUE)
end

-- An offer stands among the held with its claim deadline below zero: that tells the two apart.
local function addHeld(cap, placeId, score)
  if redis.call('ZADD', heldKey(cap.name), score, placeId) == 0 then return end
  cap.held = cap.held + 1
  if cap.held == 1 then touch(heldKey(cap.name)) end
end
local function removeHeld(cap, placeId) cap.held = cap.held - redis.call('ZREM', heldKey(cap.name), placeId) end

local function changeOverruns(cap, by)
  if by == 0 then return end
  cap.overruns = cap.overruns + by
  redis.call('HINCRBY', capKey(cap.name), 'overruns', by)
end
local function addOverrun(cap, placeId, deadline)
  changeOverruns(cap, redis.call('ZADD', overrunKey(cap.name), deadline, placeId))
  touch(overrunKey(cap.name))
end
local function removeOverrun(cap, placeId) changeOverruns(cap, -redis.call('ZREM', overrunKey(cap.name), placeId)) end

local function isGateClosed(cap) return cap.gateUntil ~= nil and now < cap.gateUntil end

-- Why nothing may be granted on the cap now: 'gate', 'cap' or nil.
local function blockReason(cap)
  if isGateClosed(cap) then return 'gate' end
  if cap.gateUntil and cap.granted >= (cap.wave or 1) then return 'gate' end
  if cap.limit and usedOf(cap) >= cap.limit then return 'cap' end
  return nil
end

local function hasWaiters(cap)
  if cap.waiters == nil then cap.waiters = redis.call('EXISTS', groupsKey(cap.name)) == 1 end
  return cap.waiters
end

local function openGate(cap)
  redis.call('HDEL', capKey(cap.name), 'gateUntil', 'gateReason', 'wave', 'granted')
  redis.call('DEL', probesKey(cap.name))
  cap.gateUntil, cap.gateReason, cap.wave, cap.granted = nil, nil, nil, 0
  clearDue('g:' .. cap.name)
end

-- A shorter hint never shortens a gate; whoever was probing probes no more.
local function closeGate(cap, untilMs, reason)
  if cap.gateUntil == nil or untilMs > cap.gateUntil then cap.gateUntil, cap.gateReason = untilMs, reason end
  cap.wave, cap.granted = nil, 0
  redis.call('HSET', capKey(cap.name), 'gateUntil', cap.gateUntil, 'gateReason', cap.gateReason)
  redis.call('HDEL', capKey(cap.name), 'wave', 'granted')
  redis.call('DEL', probesKey(cap.name))
  keepCap(cap)
  setDue('g:' .. cap.name, cap.gateUntil)
end

-- Called for each grant: behind a gate that has fallen due it is a probe.
local function countProbe(cap, placeId)
  if not cap.gateUntil then return end
  cap.wave, cap.granted = cap.wave or 1, cap.granted + 1
  redis.call('HSET', capKey(cap.name), 'wave', cap.wave, 'granted', cap.granted)
  redis.call('ZADD', probesKey(cap.name), '+inf', placeId)
  touch(probesKey(cap.name))
end

-- The probe's call starts now: unrefused for probeMs it counts as accepted.
local function startProbe(cap, placeId)
  if not cap.gateUntil or not redis.call('ZSCORE', probesKey(cap.name), placeId) then return end
  redis.call('ZADD', probesKey(cap.name), now + settings.probeMs, placeId)
  local first = redis.call('ZRANGE', probesKey(cap.name), 0, 0, 'WITHSCORES')
  setDue('g:' .. cap.name, tonumber(first[2]))
end

local function acceptProbe(cap, placeId)
  if redis.call('ZREM', probesKey(cap.name), placeId) == 0 then return end
  redis.call('HINCRBY', capKey(cap.name), 'turnover', 1)
  if redis.call('ZCARD', probesKey(cap.name)) > 0 then return end
  if cap.limit or cap.granted < cap.wave then return openGate(cap) end
  cap.wave, cap.granted = cap.wave * 2, 0
  redis.call('HSET', capKey(cap.name), 'wave', cap.wave, 'granted', '0')
end

-- The probe ended without saying anything about the endpoint: another one may go.
local function dropProbe(cap, placeId)
  if redis.call('ZREM', probesKey(cap.name), placeId) == 0 then return end
  cap.granted = math.max(0, cap.granted - 1)
  redis.call('HSET', capKey(cap.name), 'granted', cap.granted)
end

local function settleProbe(cap, placeId, outcome)
  if not cap.gateUntil then return end
  if outcome == 'ok' then acceptProbe(cap, placeId) else dropProbe(cap, placeId) end
end
