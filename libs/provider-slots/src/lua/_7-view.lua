-- Prelude 7: reading, for the scripts that only look.

-- One cap's facts from which an estimate is made: what runs, for how long, and how long such holds last.
local function viewLoad(cap)
  local running = {}
  for i, placeId in ipairs(redis.call('ZRANGE', heldKey(cap.name), 0, MAX_STEPS - 1)) do
    local fields = redis.call('HMGET', placeKey(placeId), 'state', 'grantedAt', 'work')
    running[i] = {
      elapsedMs = fields[1] == 'held' and fields[2] and now - tonumber(fields[2]) or 0,
      work = tonumber(fields[3] or nil),
    }
  end
  return {
    limit = cap.limit,
    gateMs = isGateClosed(cap) and cap.gateUntil - now or 0,
    gateUntil = isGateClosed(cap) and cap.gateUntil or nil,
    running = running,
    samples = redis.call('LRANGE', samplesKey(cap.name), 0, 63),
  }
end
