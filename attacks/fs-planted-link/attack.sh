#!/bin/sh
# The first run puts links to the machine's files in the place of its own program and around it; the second one is
# copied to the same names. If that copying went through the links, it would write to the machine with its starter's
# rights. Bare, it writes through one itself.
file=$1 folder=$2 second=$4
if [ -n "$DRILL_CONTROL" ]; then
    cd "$3" || exit 77
    ln -sf "$file" planted
    echo changed >planted
    rm -f planted
    exit 10
fi

if [ "$second" = second ]; then
    for place in /work /tmp /dev/shm; do
        if [ -n "$(find "$place" -type l)" ]; then
            echo "$place: reached"
            exit 10
        fi
    done
    exit 0
fi
for own in /work/attack*; do
    rm -f "$own" && ln -s "$file" "$own"
done
for place in /work /tmp /dev/shm; do
    ln -s "$folder/new" "$place/attack.sh"
    ln -s "$folder" "$place/next"
done
mv /work /moved 2>/dev/null
rmdir /tmp 2>/dev/null
exit 0
