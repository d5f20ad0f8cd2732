#!/bin/sh
# A source text with a fault in each line: a compiler says some hundred bytes about each. Bare, what it says is counted.
folder=/work
[ -n "$DRILL_CONTROL" ] && folder=$1
cd "$folder" || exit 77
command -v gcc >/dev/null || { echo "no compiler here"; exit 77; }
yes 'int f(void) { return no_such_name + (char *)1 * 2; }' | head -n 20000 >faulty.c
if [ -n "$DRILL_CONTROL" ]; then
    bytes=$(gcc -c faulty.c 2>&1 | head -c 1000000 | wc -c)
    rm -f faulty.c
    echo "$bytes bytes"
    [ "$bytes" -gt 300000 ] && exit 10
    exit 0
fi
gcc -c faulty.c
exit 10
