#!/bin/sh
# ./make TARGET... - make, for a machine that may have none yet: installs it with all that the targets need, then runs it
#
# One round of installing, so that a user who may install nothing is told everything at once. The targets are in Makefile.
set -eu
cd "$(dirname "$0")"
sets=build
command -v make >/dev/null 2>&1 || sets="make build"
for word in "$@"; do
    case $word in
    demo | bench | bench-build) sets="$sets demo" ;;
    test | check | asan) sets="$sets test" ;;
    fuzz) sets="$sets test fuzz" ;;
    test-v2) sets="$sets vm" ;;
    esac
done
# shellcheck disable=SC2086 # words
scripts/setup.sh $sets
exec make "$@"
