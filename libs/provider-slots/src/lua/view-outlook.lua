-- view-outlook: where a waiting place stands, and what an estimate of its wait is made of. Changes nothing.
--
-- Exact up to 64 waiters ahead and 64 lanes; beyond, only counts.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- Returns  {'waiting', JSON} | {'offered', JSON} | {'none'}

local place = readPlace(ARGV[2])
local state = place and place.state
if state ~= 'waiting' and state ~= 'offered' and state ~= 'aside' then return { 'none' } end
if state == 'offered' then return { 'offered', cjson.encode({ sinceMs = tonumber(place.since) }) } end

local lane = state == 'waiting' and readLane(place.lane) or readLane(laneIdOf(place.group, place.caps))
if not lane then return { 'offered', cjson.encode({ sinceMs = tonumber(place.since) }) } end
local cap = readCap(lane.at)
local ticket = tonumber(place.ticket)

-- Who of the own group is served before this place.
local rank, ahead = 0, {}
for _, laneId in ipairs(redis.call('ZRANGE', lanesKey(cap.name, lane.group), 0, MAX_STEPS - 1)) do
  local below = '(' .. int(ticket)
  rank = rank + redis.call('ZCOUNT', waitersKey(laneId), '-inf', below)
  if #ahead < MAX_STEPS then
    for _, placeId in ipairs(redis.call('ZRANGEBYSCORE', waitersKey(laneId), '-inf', below, 'LIMIT', 0, MAX_STEPS - #ahead)) do
      ahead[#ahead + 1] = tonumber(redis.call('HGET', placeKey(placeId), 'work') or nil) or false
    end
  end
end

-- Another group gets its turns whose start tags come before that of this place.
local position = rank
local ownTag = tagInLine(cap, lane.group, headOf(cap, lane.group)) + rank
for _, member in ipairs(redis.call('ZRANGE', groupsKey(cap.name), 0, MAX_STEPS - 1)) do
  local group = string.sub(member, 18)
  if group ~= lane.group then
    local tag, head = tonumber(redis.call('ZSCORE', groupsKey(cap.name), member)), tonumber(string.sub(member, 1, 16))
    local turns = ownTag - tag + ((head < ticket) and 1 or 0)
    local waiting = 0
    for _, laneId in ipairs(redis.call('ZRANGE', lanesKey(cap.name, group), 0, MAX_STEPS - 1)) do
      waiting = waiting + redis.call('ZCARD', waitersKey(laneId))
    end
    position = position + math.max(0, math.min(turns, waiting))
  end
end

return { 'waiting', cjson.encode({
  sinceMs = tonumber(place.since), position = position, aheadWork = ahead, work = tonumber(place.work or nil),
  load = viewLoad(cap),
}) }
