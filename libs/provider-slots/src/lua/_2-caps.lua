-- Prelude 2: caps and their gates.
--
-- A cap has room when  held + offered + overrun < limit  and its gate lets one more through:
--   closed    until gateUntil: nobody
--   probing   after it: `wave` grants, 1 at first; all of them accepted: open, or on an uncapped endpoint twice as many

local caps = {}

local function asLimit(text) return text and text ~= '' and tonumber(text) or nil end

-- Read once per script; what the script changes is changed here and in Redis.
local function readCap(name)
  local cap = caps[name]
  if cap then return cap end
  local fields = redis.call('HMGET', capKey(name), 'limit', 'override', 'gateUntil', 'gateReason', 'wave', 'granted', 'vtime')
  cap = {
    name = name,
    asked = fields[1],
    override = asLimit(fields[2]),
    limit = asLimit(fields[2]) or asLimit(fields[1]),
    gateUntil = tonumber(fields[3] or nil),
    gateReason = fields[4] or nil,
    wave = tonumber(fields[5] or nil),
    granted = tonumber(fields[6] or nil) or 0,
    vtime = tonumber(fields[7] or nil) or 0,
    used = redis.call('ZCARD', heldKey(name)) + redis.call('ZCARD', overrunKey(name)),
  }
  caps[name] = cap
  return cap
end

-- An override is the operator's word and outlives every idle time.
local function touchCap(cap)
  if not cap.override then touch(capKey(cap.name)) end
end

local function isGateClosed(cap) return cap.gateUntil ~= nil and now < cap.gateUntil end

-- Why nothing may be granted on the cap now: 'gate', 'cap' or nil.
local function blockReason(cap)
  if isGateClosed(cap) then return 'gate' end
  if cap.gateUntil and cap.granted >= (cap.wave or 1) then return 'gate' end
  if cap.limit and cap.used >= cap.limit then return 'cap' end
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
  redis.call('HSET', capKey(cap.name), 'gateUntil', int(cap.gateUntil), 'gateReason', cap.gateReason)
  redis.call('HDEL', capKey(cap.name), 'wave', 'granted')
  redis.call('DEL', probesKey(cap.name))
  touchCap(cap)
  setDue('g:' .. cap.name, cap.gateUntil)
end

-- Called for each grant: behind a gate that has fallen due it is a probe.
local function countProbe(cap, placeId)
  if not cap.gateUntil then return end
  cap.wave, cap.granted = cap.wave or 1, cap.granted + 1
  redis.call('HSET', capKey(cap.name), 'wave', int(cap.wave), 'granted', int(cap.granted))
  redis.call('ZADD', probesKey(cap.name), '+inf', placeId)
  touch(probesKey(cap.name))
end

-- The probe's call starts now: unrefused for probeMs it counts as accepted.
local function startProbe(cap, placeId)
  if not cap.gateUntil or not redis.call('ZSCORE', probesKey(cap.name), placeId) then return end
  redis.call('ZADD', probesKey(cap.name), int(now + settings.probeMs), placeId)
  local first = redis.call('ZRANGE', probesKey(cap.name), 0, 0, 'WITHSCORES')
  setDue('g:' .. cap.name, tonumber(first[2]))
end

local function acceptProbe(cap, placeId)
  if redis.call('ZREM', probesKey(cap.name), placeId) == 0 then return end
  redis.call('HINCRBY', capKey(cap.name), 'turnover', 1)
  if redis.call('ZCARD', probesKey(cap.name)) > 0 then return end
  if cap.limit or cap.granted < cap.wave then return openGate(cap) end
  cap.wave, cap.granted = cap.wave * 2, 0
  redis.call('HSET', capKey(cap.name), 'wave', int(cap.wave), 'granted', '0')
end

-- The probe ended without saying anything about the endpoint: another one may go.
local function dropProbe(cap, placeId)
  if redis.call('ZREM', probesKey(cap.name), placeId) == 0 then return end
  cap.granted = math.max(0, cap.granted - 1)
  redis.call('HSET', capKey(cap.name), 'granted', int(cap.granted))
end

local function settleProbe(cap, placeId, outcome)
  if not cap.gateUntil then return end
  if outcome == 'ok' then acceptProbe(cap, placeId) else dropProbe(cap, placeId) end
end
