#!/bin/sh
# A child goes on with a dot every 20 ms on both streams when the program has ended. Who waits for silence waits for ever.
# Bare, the child is caught in the act after its parent is gone, and stops by itself after 20 dots.
drip='dots=0; while [ "$dots" -lt '${DRILL_CONTROL:+2}'000 ]; do printf .; printf . >&2; sleep 0.02; dots=$((dots + 1)); done'
if [ -n "$DRILL_CONTROL" ]; then
    (sh -c 'dots=0; while [ "$dots" -lt 20 ]; do printf .; sleep 0.02; dots=$((dots + 1)); done' >drips &)
    sleep 0.1
    before=$(wc -c <drips)
    sleep 0.1
    after=$(wc -c <drips)
    sleep 0.6
    rm -f drips
    [ "$after" -gt "$before" ] && exit 10
    exit 0
fi
(sh -c "$drip" &)
sleep 0.1
exit 0
