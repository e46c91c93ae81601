-- Prelude 4: who waits, and in which order.
--
-- cap -> groups (by start tag) -> lanes (by their heads' tickets) -> waiters (by ticket). A lane holds the waiters of
-- one group with the same caps; it is queued on the one cap that blocks its head.
-- Under `fifo` all waiters are one group, which leaves pure tickets.

local function queueGroup(group) return settings.order == 'fifo' and '' or group end

-- Start-time fair queueing. A group in line stands in `groups` with its start tag; while it is not, `tags` remembers
-- the tag of its next turn. Member '' of `tags` is the cap's virtual time: the start tag served last.
local PRUNE_EVERY = 16

local function nextTag(cap, group)
  local scores = redis.call('ZMSCORE', tagsKey(cap.name), '', group)
  return math.max(tonumber(scores[1] or nil) or 0, tonumber(scores[2] or nil) or 0)
end

-- Tags that the virtual time has passed say nothing any more.
local function pruneTags(cap, vtime)
  redis.call('ZREMRANGEBYSCORE', tagsKey(cap.name), '-inf', '(' .. int(vtime))
  touch(tagsKey(cap.name))
end

-- Members sort by score, then by name: the head's ticket in front breaks ties between groups.
local function groupMember(ticket, group) return string.format('%016.0f:', ticket) .. group end

local function tagInLine(cap, group, head)
  return tonumber(redis.call('ZSCORE', groupsKey(cap.name), groupMember(head, group)))
end

-- The ticket at the head of the group's lanes on this cap, or nil when it is not in line there.
local function headOf(cap, group)
  if cap.heads[group] == nil then
    local first = redis.call('ZRANGE', lanesKey(cap.name, group), 0, 0, 'WITHSCORES')
    cap.heads[group] = tonumber(first[2]) or false
  end
  return cap.heads[group] or nil
end

-- The first tag is what makes the key, at whatever moment that is.
local function addTag(cap, ...)
  if redis.call('ZADD', tagsKey(cap.name), ...) == 1 then touch(tagsKey(cap.name)) end
end

-- Where nobody waits, slots are taken without a look at turns. Now a contest begins: who took slots before the others
-- came has had that many turns, and no more, so that a group which was alone for long owes nobody more than what it
-- holds. Of a cap with very many slots a part tells enough.
local function chargeHolders(cap)
  local turns = {}
  for _, placeId in ipairs(redis.call('ZRANGEBYSCORE', heldKey(cap.name), '(0', '+inf', 'LIMIT', 0, MAX_STEPS)) do
    local group = redis.call('HGET', placeKey(placeId), 'group')
    if group then turns[group] = (turns[group] or 0) + 1 end
  end
  local vtime = tonumber(redis.call('ZSCORE', tagsKey(cap.name), '') or nil) or 0
  for group, count in pairs(turns) do addTag(cap, 'GT', vtime + count, group) end
end

-- Puts the group where its head says. `tag`: its start tag from now on, when that has changed.
local function moveGroup(cap, group, old, new, tag)
  cap.heads[group] = new or false
  if not new then
    tag = tag or tagInLine(cap, group, old)
    redis.call('ZREM', groupsKey(cap.name), groupMember(old, group))
    if settings.order ~= 'fifo' then addTag(cap, tag, group) end
    cap.waiters = nil
  elseif not old then
    if settings.order ~= 'fifo' and not hasWaiters(cap) then chargeHolders(cap) end
    tag = settings.order == 'fifo' and 0 or nextTag(cap, group)
    redis.call('ZADD', groupsKey(cap.name), tag, groupMember(new, group))
    touch(groupsKey(cap.name))
    touch(lanesKey(cap.name, group))
    cap.waiters = true
  elseif new ~= old then
    tag = tag or tagInLine(cap, group, old)
    redis.call('ZADD', groupsKey(cap.name), tag, groupMember(new, group))
    redis.call('ZREM', groupsKey(cap.name), groupMember(old, group))
  elseif tag then
    redis.call('ZADD', groupsKey(cap.name), tag, groupMember(new, group))
  end
end

-- Puts the lane among those of its group by its head's ticket, or takes it out (nil).
local function placeLane(lane, cap, head, tag)
  local old = headOf(cap, lane.group)
  local new = head
  if head then
    redis.call('ZADD', lanesKey(cap.name, lane.group), head, lane.id)
  else
    redis.call('ZREM', lanesKey(cap.name, lane.group), lane.id)
  end
  if old and (not head or head > old) then
    cap.heads[lane.group] = nil
    new = headOf(cap, lane.group)
  end
  if old or new then moveGroup(cap, lane.group, old, new, tag) end
end

-- The admission of a lane's head on the cap it is queued on; returns the group's next start tag. On its other caps
-- nobody waits then, or they would have been served first.
local function chargeHead(cap, group)
  if settings.order == 'fifo' then return nil end
  local tag = tagInLine(cap, group, headOf(cap, group))
  addTag(cap, 'GT', tag, '')
  if tag % PRUNE_EVERY == 0 then pruneTags(cap, tag) end
  return tag + 1
end

-- The admission came to nothing (a missed, left or taken-back offer).
local function refund(cap, group)
  if settings.order == 'fifo' then return end
  local head = headOf(cap, group)
  if head then
    redis.call('ZINCRBY', groupsKey(cap.name), -1, groupMember(head, group))
  elseif redis.call('ZSCORE', tagsKey(cap.name), group) then
    redis.call('ZINCRBY', tagsKey(cap.name), -1, group)
  end
end

local function readLane(laneId)
  local fields = redis.call('HMGET', laneKey(laneId), 'at', 'group', 'caps', 'touchedAt')
  if not fields[2] then return nil end
  return { id = laneId, at = fields[1], group = fields[2], capNames = split(fields[3]), touchedAt = fields[4] }
end

local function laneIdOf(group, capsText) return redis.sha1hex(queueGroup(group) .. '\n\n' .. capsText) end

local function keepLane(lane)
  if not isStale(lane.touchedAt) then return end
  redis.call('HSET', laneKey(lane.id), 'touchedAt', now)
  touch(laneKey(lane.id))
  touch(waitersKey(lane.id))
  touch(lanesKey(lane.at, lane.group))
  touch(groupsKey(lane.at))
end

-- Puts the lane where its head's ticket says, or forgets it when nobody waits in it.
local function refreshLane(lane, tag)
  local head = redis.call('ZRANGE', waitersKey(lane.id), 0, 0, 'WITHSCORES')
  if not head[1] then redis.call('DEL', laneKey(lane.id)) end
  placeLane(lane, readCap(lane.at), tonumber(head[2]), tag)
end

local function moveLane(lane, toCap)
  local waiting = redis.call('ZCARD', waitersKey(lane.id))
  countWaiting(lane.at, -waiting)
  placeLane(lane, readCap(lane.at), nil)
  lane.at = toCap
  countWaiting(lane.at, waiting)
  redis.call('HSET', laneKey(lane.id), 'at', toCap)
  refreshLane(lane)
end

-- The place waits in its lane from now on; a new lane is queued on `blocker`.
local function joinLane(place, blocker)
  local laneId = laneIdOf(place.group, place.caps)
  local lane = readLane(laneId)
  if not lane then
    lane = { id = laneId, at = blocker, group = queueGroup(place.group), capNames = place.capNames }
    redis.call('HSET', laneKey(laneId), 'at', blocker, 'group', lane.group, 'caps', place.caps)
  end
  if redis.call('ZADD', waitersKey(laneId), place.ticket, place.placeId) == 1 then countWaiting(lane.at, 1) end
  if redis.call('ZRANGE', waitersKey(laneId), 0, 0)[1] == place.placeId then refreshLane(lane) end
  keepLane(lane)
  place.lane = laneId
end

local function leaveLane(place)
  if redis.call('ZREM', waitersKey(place.lane), place.placeId) == 0 then return end
  local lane = readLane(place.lane)
  countWaiting(lane.at, -1)
  refreshLane(lane)
end
