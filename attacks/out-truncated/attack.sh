#!/bin/sh
# Prints eight megabytes where four kilobytes are kept. If it worked, the rest would be kept nonetheless, or the count
# would be wrong.
head -c 1048576 /dev/zero >&2 &
head -c 8388608 /dev/zero || exit 1
wait $!
