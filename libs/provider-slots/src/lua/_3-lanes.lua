-- Prelude 3: who waits, and in which order.
--
-- cap -> groups (by start tag) -> lanes (by their heads' tickets) -> waiters (by ticket). A lane holds the waiters of
-- one group with the same caps; it is queued on the one cap that blocks its head.
-- Under `fifo` all waiters are one group, which leaves pure tickets.

local function queueGroup(group) return settings.order == 'fifo' and '' or group end

-- Members sort by score, then by name: the head's ticket in front breaks ties between groups.
local function groupMember(ticket, group) return string.format('%016.0f:', ticket) .. group end

-- The start tag that the group's next grant on this cap gets (start-time fair queueing).
local function startTag(cap, group, member)
  local tag = member and redis.call('ZSCORE', groupsKey(cap.name), member)
  if tag then return tonumber(tag) end
  return math.max(cap.vtime, tonumber(redis.call('ZSCORE', tagsKey(cap.name), group) or 0))
end

-- Puts the group where its first lane belongs, or takes it out when it has none left.
local function refreshGroup(cap, group)
  local head = redis.call('ZRANGE', lanesKey(cap.name, group), 0, 0, 'WITHSCORES')
  local old = redis.call('HGET', headsKey(cap.name), group)
  local new = head[1] and groupMember(tonumber(head[2]), group)
  if old == new or (not old and not new) then return end
  cap.waiters = nil
  if not new then
    redis.call('ZREM', groupsKey(cap.name), old)
    redis.call('HDEL', headsKey(cap.name), group)
    return
  end
  local tag = startTag(cap, group, old)
  if old then redis.call('ZREM', groupsKey(cap.name), old) end
  redis.call('ZADD', groupsKey(cap.name), int(tag), new)
  redis.call('HSET', headsKey(cap.name), group, new)
  touch(groupsKey(cap.name))
  touch(headsKey(cap.name))
  touch(lanesKey(cap.name, group))
end

-- An admission: the group's turn on each of its caps is used up.
local function charge(cap, group)
  if settings.order == 'fifo' then return end
  local member = redis.call('HGET', headsKey(cap.name), group)
  local tag = startTag(cap, group, member)
  cap.vtime = math.max(cap.vtime, tag)
  redis.call('HSET', capKey(cap.name), 'vtime', int(cap.vtime))
  redis.call('ZADD', tagsKey(cap.name), int(tag + 1), group)
  redis.call('ZREMRANGEBYSCORE', tagsKey(cap.name), '-inf', int(cap.vtime))
  touch(tagsKey(cap.name))
  if member then redis.call('ZADD', groupsKey(cap.name), int(tag + 1), member) end
end

-- The admission came to nothing (a missed, left or taken-back offer).
local function refund(cap, group)
  if settings.order == 'fifo' then return end
  local tag = redis.call('ZSCORE', tagsKey(cap.name), group)
  if not tag then return end
  tag = math.max(0, tonumber(tag) - 1)
  redis.call('ZADD', tagsKey(cap.name), int(tag), group)
  local member = redis.call('HGET', headsKey(cap.name), group)
  if member then redis.call('ZADD', groupsKey(cap.name), int(tag), member) end
end

local function readLane(laneId)
  local fields = redis.call('HMGET', laneKey(laneId), 'at', 'group', 'caps')
  if not fields[2] then return nil end
  return { id = laneId, at = fields[1], group = fields[2], capNames = split(fields[3]) }
end

local function laneIdOf(group, capsText) return redis.sha1hex(queueGroup(group) .. '\n\n' .. capsText) end

local function countWaiting(capName, by)
  if by ~= 0 then redis.call('HINCRBY', capKey(capName), 'waiting', by) end
end

local function unqueueLane(lane)
  local cap = readCap(lane.at)
  redis.call('ZREM', lanesKey(cap.name, lane.group), lane.id)
  refreshGroup(cap, lane.group)
end

-- Puts the lane where its head's ticket says, or forgets it when nobody waits in it.
local function refreshLane(lane)
  local head = redis.call('ZRANGE', waitersKey(lane.id), 0, 0, 'WITHSCORES')
  if not head[1] then
    redis.call('DEL', laneKey(lane.id))
    return unqueueLane(lane)
  end
  redis.call('ZADD', lanesKey(lane.at, lane.group), head[2], lane.id)
  refreshGroup(readCap(lane.at), lane.group)
end

local function moveLane(lane, toCap)
  local waiting = redis.call('ZCARD', waitersKey(lane.id))
  countWaiting(lane.at, -waiting)
  unqueueLane(lane)
  lane.at = toCap
  countWaiting(lane.at, waiting)
  redis.call('HSET', laneKey(lane.id), 'at', toCap)
  refreshLane(lane)
end

-- The place waits in its lane; a new lane is queued on `blocker`.
local function joinLane(place, blocker)
  local laneId = laneIdOf(place.group, place.caps)
  local lane = readLane(laneId)
  if not lane then
    lane = { id = laneId, at = blocker, group = queueGroup(place.group), capNames = place.capNames }
    redis.call('HSET', laneKey(laneId), 'at', blocker, 'group', lane.group, 'caps', place.caps)
  end
  touch(laneKey(laneId))
  if redis.call('ZADD', waitersKey(laneId), place.ticket, place.placeId) == 1 then countWaiting(lane.at, 1) end
  touch(waitersKey(laneId))
  refreshLane(lane)
  touch(lanesKey(lane.at, lane.group))
  touch(groupsKey(lane.at))
  touch(headsKey(lane.at))
  place.lane = laneId
end

local function leaveLane(place)
  if redis.call('ZREM', waitersKey(place.lane), place.placeId) == 0 then return end
  local lane = readLane(place.lane)
  if not lane then return end
  countWaiting(lane.at, -1)
  refreshLane(lane)
end
