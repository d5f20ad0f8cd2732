#!/bin/sh
# demo.sh [PROGRAM] - judge the example candidates in real cages and compare with the verdicts they must get
#
# Results go to build/demo/, one folder an evaluation; those of an earlier demo are replaced. Where that is another user's
# (root in a checkout that is not root's, as in a container), nothing is written there: then they go to a new folder.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-${FUMEHOOD_BIN:-$top/build/release/fumehood}}
if [ ! -x "$program" ]; then
    echo "demo.sh: $program is not there (run make first)" >&2
    exit 2
fi
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
out=$top/build/demo
folder=$(cd -P "$top/build" && pwd)
while [ "$folder" != / ]; do
    owner=$(stat -c %u "$folder")
    if [ "$owner" != 0 ] && [ "$owner" != "$(id -u)" ]; then
        out=$(mktemp -d "${TMPDIR:-/tmp}/fumehood-demo.XXXXXX")
        break
    fi
    folder=$(dirname "$folder")
done
exec /usr/bin/python3 "$top/scripts/demo.py" "$program" "$top/examples" "$out"
