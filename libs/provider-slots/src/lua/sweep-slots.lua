-- sweep-slots: works off what has fallen due when no other script comes along to do it.
--
-- KEYS[1]  root
-- ARGV[1]  pinned time in ms, or ''
-- ARGV[2]  settings (JSON)
-- Returns  {'swept', number of due entries worked off}: 64 means that there may be more

return { 'swept', int(expireDue({})) }
