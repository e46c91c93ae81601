-- view-held: which of the given places are in use or on offer. Changes nothing.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place ids (JSON list)
-- Returns  {'held', place id, …}

local reply = { 'held' }
for _, placeId in ipairs(cjson.decode(ARGV[2])) do
  local state = redis.call('HGET', placeKey(placeId), 'state')
  if state == 'held' or state == 'overrun' or state == 'offered' then reply[#reply + 1] = placeId end
end
return reply
