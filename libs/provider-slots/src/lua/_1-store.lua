-- Prelude 1: time, keys, numbers, places.
-- KEYS[1] is the root with the one hash tag; every other key is made here. `settings` comes before this: the module's
-- options, which are the same at every call, as a table that costs less than arguments.
--
-- The functions live as long as the library, across calls; what one call knows is begun anew by `begin`.

local MAX_STEPS = 64

local root, now, nowMicros
local nowText         -- a number costs a conversion each time it is sent, a text none
local DUE, SEQ, WAKES, KNOWN
local caps            -- prelude 2: what was read of each cap
local freed           -- prelude 3: cap name -> how many caps are wider than it
local freedCount
local stepsLeft       -- prelude 5

-- Lua's own conversion keeps 14 digits, a ticket has 16.
local function int(number) return string.format('%.0f', number) end

local function begin(KEYS, ARGV)
  if root ~= KEYS[1] then
    root = KEYS[1]
    DUE, SEQ, WAKES, KNOWN = root .. ':due', root .. ':seq', root .. ':wakes', root .. ':caps'
  end
  -- Redis's own clock decides; a test pins it (in ms).
  if ARGV[1] == '' then
    local time = redis.call('TIME')
    nowMicros = tonumber(time[1]) * 1000000 + tonumber(time[2])
    now = math.floor(nowMicros / 1000)
  else
    now = tonumber(ARGV[1])
    nowMicros = now * 1000
  end
  nowText = int(now)
  caps, freed, freedCount, stepsLeft = {}, {}, 0, MAX_STEPS
end

local function placeKey(placeId) return root .. ':place:' .. placeId end
local function capKey(cap) return root .. ':cap:' .. cap end
local function heldKey(cap) return root .. ':cap:' .. cap .. ':held' end
local function overrunKey(cap) return root .. ':cap:' .. cap .. ':overrun' end
local function probesKey(cap) return root .. ':cap:' .. cap .. ':probes' end
local function samplesKey(cap) return root .. ':cap:' .. cap .. ':samples' end
local function tagsKey(cap) return root .. ':cap:' .. cap .. ':tags' end
local function groupsKey(cap) return root .. ':cap:' .. cap .. ':groups' end
local function lanesKey(cap, group) return root .. ':cap:' .. cap .. ':lanes:' .. group end
local function laneKey(lane) return root .. ':lane:' .. lane end
local function waitersKey(lane) return root .. ':lane:' .. lane .. ':waiters' end

-- Every key expires with its last user. A key is touched when it is made, and then, with all that belongs together,
-- only when the last time is a while ago: a command each time would cost more than the work itself.
local function touch(key) redis.call('PEXPIRE', key, settings.idleMs) end
local function isStale(touchedAt) return not touchedAt or now - tonumber(touchedAt) > settings.idleMs / 8 end

-- Tickets and lease ids: above all earlier ones, also above those of before a wipe, whose time is past.
local function writeSeq(value)
  return tonumber(redis.call('SET', SEQ, value, 'PX', settings.idleMs, 'GET') or nil) or 0
end
local function nextSeq()
  local seq = int(nowMicros)
  local last = writeSeq(seq)
  if last >= nowMicros then
    seq = int(last + 1)
    writeSeq(seq)
  end
  return seq
end
local function raiseSeq(atLeast)
  local last = tonumber(redis.call('GET', SEQ) or nil) or 0
  if atLeast > last then writeSeq(atLeast) end
end

-- The index of deadlines never runs empty while a cap is in use (see keepCap), so it keeps its expiry.
local function setDue(member, at) redis.call('ZADD', DUE, at, member) end
local function clearDue(member) redis.call('ZREM', DUE, member) end

local function split(text)
  local parts = {}
  for part in string.gmatch(text, '[^\n]+') do parts[#parts + 1] = part end
  return parts
end

-- A place as stored, or nil. `state`: waiting, offered, held, overrun, aside (waits, but must ask again
-- before it is offered anything), lapsed (its lease ran out unrenewed), ended (a tombstone).
local function readPlace(placeId)
  local raw = redis.call('HGETALL', placeKey(placeId))
  if #raw == 0 then return nil end
  local place = { placeId = placeId }
  for i = 1, #raw, 2 do place[raw[i]] = raw[i + 1] end
  place.capNames = split(place.caps or '')
  return place
end

local function changePlace(place, ...)
  redis.call('HSET', placeKey(place.placeId), ...)
  local fields = { ... }
  for i = 1, #fields, 2 do place[fields[i]] = fields[i + 1] end
end

-- A place is to outlive `keepMs` from now.
local function keepPlace(placeId, keepMs)
  redis.call('PEXPIRE', placeKey(placeId), math.max(keepMs, settings.idleMs))
end

local function writePlace(place, keepMs, ...)
  changePlace(place, ...)
  keepPlace(place.placeId, keepMs)
end

local function erasePlace(place)
  redis.call('DEL', placeKey(place.placeId))
  clearDue('p:' .. place.placeId)
  place.state = 'erased'
end

local function hasText(field) return field ~= nil and field ~= '' end
local function isInUse(place) return place.state == 'held' or place.state == 'overrun' end
