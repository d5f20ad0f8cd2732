#!/bin/sh
# Starts sleepers in sessions of their own, some below others, all deaf to the usual signals, and waits. A runner that
# ends a group of processes, or asks politely, leaves some of them alive.
trap '' HUP INT QUIT TERM
if [ -n "$DRILL_CONTROL" ]; then
    setsid sleep 3 &
    sleep 0.1
    kill -TERM 0
    sleep 0.6
    kill -0 $! && reached=10
    kill -KILL $! && wait
    exit "${reached:-0}"
fi
for depth in 1 2 3; do
    setsid sh -c 'trap "" HUP TERM; setsid sh -c "trap \"\" TERM; sleep 60" & sleep 60' &
done
setsid sleep 60 &
wait
