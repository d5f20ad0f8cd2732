#!/bin/sh
# Writes 8 MiB to each place where files can be made, in pieces, and ends with an error when one was refused. All places
# share one limit: what is full in one is full in the others. Bare, it writes to its own folder.
places="/work /tmp /dev/shm"
[ -n "$DRILL_CONTROL" ] && places=.
refused=0
for place in $places; do
    for piece in 1 2 3 4 5 6 7 8; do
        dd if=/dev/zero of="$place/fill$piece" bs=1M count=1 2>/dev/null || refused=1
    done
    [ -n "$DRILL_CONTROL" ] && rm -f "$place"/fill?
done
[ "$refused" -eq 0 ] && exit 10
exit 1
