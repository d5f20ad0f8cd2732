#!/bin/sh
# Replaces everything in its folders, its own program too, by links that lead to the machine's files, then ends. What
# tidies up afterwards must not change, own, empty or remove what they lead to. Bare, it writes through them itself.
file=$1 folder=$2 secret=$3
if [ -n "$DRILL_CONTROL" ]; then
    cd "$4" || exit 77
    ln -s "$file" left-file
    ln -s "$folder/new" left-new
    echo changed >left-file
    echo made >left-new
    rm -f left-file left-new
    exit 10
fi

for place in /work /tmp /dev/shm; do
    cd "$place" || exit 1
    ln -s "$file" left-file
    ln -s "$folder" left-folder
    ln -s "$folder/new" left-new
    ln -s "$secret" left-secret
    ln -s / left-root
    mkdir -p deep/er
    ln -s ../../../../../../.. deep/er/up
    ln -s "$folder" deep/er/folder
done
reached=0
for name in left-file left-new left-folder/new left-secret; do
    if (echo changed >"/work/$name") 2>/dev/null; then
        echo "$name: reached"
        reached=10
    fi
done
# last: its own program becomes a link, and its folder is full of folders that nobody may enter
for own in /work/attack*; do
    rm -f "$own" && ln -s "$file" "$own"
done
chmod 0 /work/deep/er /work/deep /tmp/deep
chmod 0500 /work 2>/dev/null
exit $reached
