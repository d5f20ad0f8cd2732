#!/bin/sh
# Leaves a sleeper behind that holds both output streams, and ends. Who waits for the end of the streams waits for the
# sleeper. Bare, it is looked at from outside its parent, and ended.
if [ -n "$DRILL_CONTROL" ]; then
    sleeper=$(sh -c 'sleep 3 >&2 & echo $!')
    sleep 0.1
    kill -0 "$sleeper" && kill "$sleeper" && exit 10
    exit 0
fi
(sleep 60 &)
(sleep 60 >&2 &)
echo done
exit 0
