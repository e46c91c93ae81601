-- disown-attempt: an attempt whose answer never came, because Redis was away, is over: what it may have got goes back.
--
-- Guarantee: also the attempt's own command, should it arrive only now, leaves nothing: the place remembers the nonce.
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- ARGV[3]  nonce of the attempt
-- Returns  {'disowned'}

local placeId, nonce = ARGV[2], ARGV[3]
expireDue({ [placeId] = true })
local place = readPlace(placeId)
if place and place.nonce == nonce then
  if isInUse(place) then
    endLease(place, 'aborted')
  else
    if place.state == 'offered' then withdrawOffer(place) end
    if place.state == 'waiting' then leaveLane(place) end
    erasePlace(place)
  end
  if place.state == 'erased' then place = nil end
end
if place then
  changePlace(place, 'disowned', nonce)
else
  writePlace({ placeId = placeId }, settings.tombstoneMs, 'state', 'ended', 'leaseId', '', 'disowned', nonce)
end
serveFreed()
return { 'disowned' }
