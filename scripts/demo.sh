#!/bin/sh
# demo.sh [PROGRAM] - judge the example candidates in real cages and compare with the verdicts they must get
#
# Results go to build/demo/, one folder an evaluation; those of an earlier demo are replaced.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-${FUMEHOOD_BIN:-$top/build/release/fumehood}}
if [ ! -x "$program" ]; then
    echo "demo.sh: $program is not there (run make first)" >&2
    exit 2
fi
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
exec /usr/bin/python3 "$top/scripts/demo.py" "$program" "$top/examples" "$top/build/demo"
