-- sweep-slots: works off what has fallen due when no other script comes along to do it.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- Returns  {'swept', number of entries that are still due}: at most 64 are worked off in one go

expireDue({})
return { 'swept', redis.call('ZCOUNT', DUE, '-inf', now) }
