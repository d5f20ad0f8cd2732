#!/bin/sh
# Reads which ids of the machine its own user namespace has. If it had more than its own, what it owns and what it may
# signal would be those of somebody outside.
count=0
while read -r inside outside length; do
    echo "ids $inside $outside $length"
    count=$((count + length))
done </proc/self/uid_map
[ "$count" -le 2 ] || exit 10
exit 0
