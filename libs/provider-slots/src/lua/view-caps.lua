-- view-caps: what an estimate for somebody who would come now is made of, for each of the given caps. Changes nothing.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  cap names (JSON list)
-- Returns  {'caps', JSON list of loads, each with how many wait there}

local views = {}
for i, name in ipairs(cjson.decode(ARGV[2])) do
  local load = viewLoad(readCap(name))
  load.waiting = math.max(0, tonumber(redis.call('HGET', capKey(name), 'waiting') or nil) or 0)
  views[i] = load
end
return { 'caps', cjson.encode(views) }
