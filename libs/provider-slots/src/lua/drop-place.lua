-- drop-place: forgets a place whatever its state: what it was for has ended.
--
-- Guarantee: a holder, if there is one after all, learns at its next renewal that it lost.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- Returns  {'dropped'} | {'none'}

local placeId = ARGV[2]
expireDue({ [placeId] = true })
local place = readPlace(placeId)
if not place then return { 'none' } end
if place.state == 'offered' then withdrawOffer(place) end
if place.state == 'waiting' then leaveLane(place) end
if isInUse(place) then
  vacate(place)
  for _, name in ipairs(place.capNames) do settleProbe(readCap(name), placeId, 'none') end
  writePlace(place, settings.tombstoneMs, 'state', 'ended')
  clearDue('p:' .. placeId)
else
  erasePlace(place)
end
serveFreed()
return { 'dropped' }
