-- note-prediction: remembers the first wait that was predicted for a place, so that its admission can tell how true it was.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  place id
-- ARGV[3]  predicted wait from now, in ms
-- Returns  {'noted'} | {'stale'}

local place = readPlace(ARGV[2])
if not place or place.state ~= 'waiting' or place.predictedMs then return { 'stale' } end
changePlace(place, 'predictedMs', ARGV[3], 'predictedAt', now)
return { 'noted' }
