-- set-limit: overrides a cap's limit, or removes the override; in force at the next admission everywhere.
--
-- Guarantee: raising admits at once, lowering takes nothing from anyone. An override does not expire.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  cap
-- ARGV[3]  limit, or '' to remove the override
-- Returns  {'set'}

local name, limit = ARGV[2], ARGV[3]
expireDue({})
local cap = readCap(name)
cap.override = asLimit(limit)
cap.limit = cap.override or asLimit(cap.asked)
if cap.override then
  redis.call('HSET', capKey(name), 'override', limit)
  redis.call('PERSIST', capKey(name))
else
  redis.call('HDEL', capKey(name), 'override')
  touch(capKey(name))
end
keepCap(cap)
markFreed(name, 0)
serveFreed()
return { 'set' }
