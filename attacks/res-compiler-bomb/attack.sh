#!/bin/sh
# One line that asks for a terabyte of data in the program, and macros that grow tenfold with each line. Bare, the data
# are 32 MiB, and the macros are given two seconds.
folder=/work bits=40 patience=1000
[ -n "$DRILL_CONTROL" ] && folder=$1 bits=25 patience=2
cd "$folder" || exit 77
command -v gcc >/dev/null || { echo "no compiler here"; exit 77; }

echo "static char data[1UL << $bits] = {1}; char *use(void) { return data; }" >large.c
gcc -c large.c -o large.o && made=$(wc -c <large.o) && echo "an object of $made bytes"
rm -f large.c large.o
[ -n "$made" ] && [ -z "$DRILL_CONTROL" ] && exit 10

i=0
echo '#define M0 a a a a a a a a a a' >macros.c
while [ $i -lt 20 ]; do
    n=$((i + 1))
    echo "#define M$n M$i M$i M$i M$i M$i M$i M$i M$i M$i M$i" >>macros.c
    i=$n
done
echo 'M20' >>macros.c
timeout $patience gcc -E macros.c >/dev/null
ended=$?
rm -f macros.c
echo "the macros ended with $ended"
[ "${made:-0}" -gt 30000000 ] && [ $ended -eq 124 ] && exit 10
exit 0
