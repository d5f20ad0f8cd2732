#!/bin/sh
# Writes to every place that it may write to. Scratch files lie in memory: 64 MiB of them are allowed as files, but 32 MiB
# as memory, and the smaller limit must hold. Bare, it writes 40 MiB to its own folder and removes them.
if [ -n "$DRILL_CONTROL" ]; then
    dd if=/dev/zero of=fill bs=1M count=40 2>&1
    size=$(wc -c <fill)
    rm -f fill
    [ "$size" -eq 41943040 ] && exit 10
    exit 0
fi
for place in /work /tmp /dev/shm; do
    dd if=/dev/zero of="$place/fill" bs=1M count=16 2>&1
done
exit 10
