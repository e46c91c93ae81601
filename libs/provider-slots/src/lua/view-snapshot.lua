-- view-snapshot: every known cap. Changes nothing.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  how many caps to leave out
-- ARGV[3]  how many caps to tell of at most
-- Returns  {'snapshot', JSON list of caps}

local skip, count = tonumber(ARGV[2]), tonumber(ARGV[3])
local views = {}
for i, name in ipairs(redis.call('ZRANGE', KNOWN, skip, skip + count - 1)) do
  local cap = readCap(name)
  local fields = redis.call('HMGET', capKey(name), 'labels', 'waiting')
  local oldest
  for _, member in ipairs(redis.call('ZRANGE', groupsKey(name), 0, MAX_STEPS - 1)) do
    local laneId = redis.call('ZRANGE', lanesKey(name, string.sub(member, 18)), 0, 0)[1]
    local head = laneId and redis.call('ZRANGE', waitersKey(laneId), 0, 0)[1]
    local since = head and tonumber(redis.call('HGET', placeKey(head), 'since') or nil)
    if since and (not oldest or since < oldest) then oldest = since end
  end
  local waiting = math.max(0, tonumber(fields[2] or nil) or 0)
  local offered = redis.call('ZCOUNT', heldKey(name), '-inf', 0)
  local load = viewLoad(cap)
  if cap.gateUntil and (isGateClosed(cap) or waiting > 0) then
    load.gateReason, load.gateUntil = cap.gateReason, cap.gateUntil
  end
  load.name, load.labels, load.override = name, fields[1] or '{}', cap.override
  load.inUse, load.offered = usedOf(cap) - offered, offered
  load.overrun, load.waiting = cap.overruns, waiting
  load.oldestWaitMs = oldest and now - oldest or nil
  views[i] = load
end
return { 'snapshot', cjson.encode(views) }
