#!/bin/sh
# The first run leaves a word in every folder that programs use in common; the second one looks for it. If it worked,
# programs of different people could read and poison each other's files.
word=$1 second=$3
places="/tmp /var/tmp /dev/shm /work /run /var/lock /scratch/tmp /scratch/work /scratch/shm /usr/tmp /tmp/../work"
[ -n "$DRILL_CONTROL" ] && places=$2

leave() {
    for place in $places; do
        for name in left .left drill.lock; do
            if (echo "$word" >"$place/$name") 2>/dev/null; then echo "left $place/$name"; fi
        done
    done
}

# Nothing is printed of what is found: the word itself must not be in the output of a good run.
look() {
    found=0
    for place in $places; do
        for name in left .left drill.lock; do
            if grep -q "$word" "$place/$name" 2>/dev/null; then
                echo "$place/$name: reached"
                found=10
            fi
        done
        if [ -z "$DRILL_CONTROL" ] && ls -A "$place" 2>/dev/null | grep -v '^attack'; then
            echo "$place: not empty"
            found=10
        fi
    done
    return $found
}

if [ -n "$DRILL_CONTROL" ]; then
    leave
    look
    found=$?
    rm -f "$2/left" "$2/.left" "$2/drill.lock"
    exit $found
fi
look || exit $?
[ -z "$second" ] && leave
exit 0
