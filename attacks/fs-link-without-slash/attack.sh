#!/bin/sh
# Makes links in its own folder to a file of the machine and to the folder that holds it, and reads through them by
# names without a slash. If it worked, a check of names instead of places would be all that keeps the machine's files.
secret=$1
folder=/work
[ -n "$DRILL_CONTROL" ] && folder=$2
cd "$folder" || exit 77
reached=0

take() {
    if "$@" 2>/dev/null; then
        echo "$*: reached"
        reached=10
    else
        echo "$*: no"
    fi
}

ln -s "$secret" answer
ln -s "${secret%/*}" place
ln -s place/../place second
ln -s "/proc/self/cwd/../../../../../..$secret" climbs
ln -s "/proc/self/root$secret" rooted
take cat answer
take cat "place/${secret##*/}"
take cat "second/${secret##*/}"
take cat climbs
take cat rooted
take cp -L answer copied
take cat copied
CDPATH=.
take cd -L place
rm -f "$folder/answer" "$folder/place" "$folder/second" "$folder/climbs" "$folder/rooted" "$folder/copied"
exit $reached
