-- Prelude 6: ending a lease, for the scripts that do.

-- The claim of an offer whose holder is already past it: it may finish before its claim lands.
local function claimFirst(place)
  if place.state ~= 'offered' then return end
  countWaiting(place.at, -1)
  if place.wake ~= '' then clearDue('w:' .. place.placeId) end
  place.state = 'held'
  place.grantedAt = nil
end

local SAMPLES = 64

-- `outcome`: ok, failed, aborted, refused. Only a hold that ended well says how long holds are.
local function endLease(place, outcome)
  claimFirst(place)
  vacate(place)
  local holdMs = place.grantedAt and now - tonumber(place.grantedAt) or 0
  for _, name in ipairs(place.capNames) do
    local cap = readCap(name)
    settleProbe(cap, place.placeId, outcome)
    if outcome ~= 'refused' then redis.call('HINCRBY', capKey(name), 'turnover', 1) end
    if outcome == 'ok' and holdMs > 0 then
      local count = redis.call('LPUSH', samplesKey(name), int(holdMs) .. ':' .. (place.work or ''))
      if count == 1 then touch(samplesKey(name)) end
      if count > 2 * SAMPLES then redis.call('LTRIM', samplesKey(name), 0, SAMPLES - 1) end
    end
  end
  -- A predecessor may still be about; it must find that the place has moved on.
  if place.takenOver == '1' then
    writePlace(place, settings.tombstoneMs, 'state', 'ended')
    clearDue('p:' .. place.placeId)
  else
    erasePlace(place)
  end
  return holdMs
end

-- The place when this lease is the one in force, or on offer, there.
local function readOwn(placeId, leaseId)
  local place = readPlace(placeId)
  if not place or place.leaseId ~= leaseId then return nil end
  if isInUse(place) or place.state == 'offered' then return place end
  return nil
end
