#!/bin/sh
# Stops servers whose starter was killed. The starter holds the other end of our standard input and writes
#   watch PID SIGNAL   a server to stop, and how to ask it
#   forget PID         the starter stopped it itself, or saw it end
# The input ends when the starter is gone, however it went: then everything still watched is stopped.
#   $1  a folder to remove after that (the data of a temporary run), or nothing
# It runs in a session of its own and ignores signals, so that a Ctrl-C or a closed terminal does not end it first.
trap '' HUP INT QUIT TERM

watched=''
while read -r verb pid signal; do
  case "$verb" in
    watch) watched="$watched $pid:$signal" ;;
    forget)
      kept=''
      for entry in $watched; do
        [ "${entry%%:*}" = "$pid" ] || kept="$kept $entry"
      done
      watched=$kept
      ;;
  esac
done

for entry in $watched; do
  kill -s "${entry#*:}" "${entry%%:*}" 2>/dev/null
done

# Ten seconds for a last write to disk, then by force.
tries=0
for entry in $watched; do
  while kill -0 "${entry%%:*}" 2>/dev/null && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  kill -s KILL "${entry%%:*}" 2>/dev/null
done

[ -z "$1" ] || rm -rf -- "$1"
