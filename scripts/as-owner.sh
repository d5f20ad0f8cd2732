#!/bin/sh
# as-owner.sh COMMAND [ARG]... - run it as the user whose checkout this is, so that `sudo make install` leaves nothing of root's in it
set -eu
cd "$(dirname "$0")/.."
owner=$(stat -c %U .)
if [ "$(id -u)" != 0 ] || [ "$owner" = root ] || ! id "$owner" >/dev/null 2>&1; then
    exec "$@"
fi
# Root has built here before, and the owner could not go on.
if [ -e build ] && [ -n "$(find build ! -user "$owner" -print -quit)" ]; then
    exec "$@"
fi
exec runuser -u "$owner" -- "$@"
