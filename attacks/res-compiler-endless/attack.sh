#!/bin/sh
# Includes devices that give bytes for ever. A compiler takes in a file as a whole before it looks at it. Bare, it has
# 256 MiB, and wants more.
folder=/work
[ -n "$DRILL_CONTROL" ] && folder=$1 && ulimit -v 262144
cd "$folder" || exit 77
command -v gcc >/dev/null || { echo "no compiler here"; exit 77; }
reached=0
for device in zero urandom; do
    echo "#include \"/dev/$device\"" >endless.c
    gcc -E endless.c >/dev/null 2>said
    grep -qi -e 'out of memory' -e 'memory exhausted' said && reached=10
    cat said
done
rm -f endless.c said
exit $reached
