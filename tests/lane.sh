#!/bin/sh
# lane.sh NAME COMMAND [ARG]... - run it in control groups of its own, so that what is left there is its own
#
# Status 77, and nothing was run: this machine's groups are of version 2, or no groups can be made here. `lane.sh -r NAME`
# removes the groups.
set -eu
name=$1
shift

# The hierarchies of version 1 that can be divided as they are: a new group of cpuset has no processors.
hierarchies() {
    for top in /sys/fs/cgroup/*/; do
        [ -w "$top/cgroup.procs" ] && [ ! -e "$top/cpuset.cpus" ] && echo "$top"
    done
    return 0
}

if [ "$name" = -r ]; then
    for top in $(hierarchies); do
        find "$top$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    exit 0
fi
[ -d /sys/fs/cgroup/memory ] || exit 77
for top in $(hierarchies); do
    mkdir -p "$top$name" 2>/dev/null && echo $$ >"$top$name/cgroup.procs" 2>/dev/null || exit 77
done
# A session, so that all of it can be ended at once. A shell has its background jobs ignore these two signals, and a test is
# to see what a person's program sees.
exec env --default-signal=INT,QUIT setsid "$@"
