-- view-places: who holds or waits, for somebody who compares it with what ought to be. Changes nothing.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  how many entries to leave out
-- ARGV[3]  how many entries to look at
-- Returns  {'places', number of entries looked at, place id, …}
--
-- Every place in use, offered or waiting has its deadline in the one index; pages of it need no scan.

local skip, count = tonumber(ARGV[2]), tonumber(ARGV[3])
local members = redis.call('ZRANGE', DUE, skip, skip + count - 1)
local reply = { 'places', #members }
for _, member in ipairs(members) do
  if string.sub(member, 1, 2) == 'p:' then reply[#reply + 1] = string.sub(member, 3) end
end
return reply
