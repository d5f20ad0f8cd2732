#!/bin/sh
# build.sh PRESET FOLDER TARGETS [OPTION]... - configure FOLDER and build the targets (words) in it; silent when all is well
#
# FOLDER may be any that an earlier build left: one that came from another path, or whose making was interrupted, is begun
# anew. The options are cmake's. Logs: FOLDER.configure.log and FOLDER.build.log.
set -eu
cd "$(dirname "$0")/.."
preset=$1 folder=$2 targets=$3
shift 3

# Prints the first thing here that belongs to others and that this user cannot change.
others() {
    if [ -e build ]; then
        find build ! -type l ! -writable -print -quit 2>&1
    elif [ ! -w . ]; then
        echo .
    fi
}

configure() {
    cmake --preset "$preset" -B "$folder" "$@" >"$folder.configure.log" 2>&1 </dev/null
}

found=$(others)
if [ -n "$found" ]; then
    echo "build.sh: $found cannot be written by you, $(id -un 2>/dev/null || id -u)" \
        "(build in a copy of the checkout without build/, or as its owner: rm -r build)" >&2
    exit 1
fi
# What was built elsewhere names files that may be there, and not ours to look at.
home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
[ -z "$home" ] || [ "$home" = "$(pwd -P)" ] || rm -rf "$folder"
mkdir -p "$folder"
if ! configure "$@" && ! configure --fresh "$@"; then
    cat "$folder.configure.log" >&2
    exit 1
fi
# shellcheck disable=SC2086 # words
if ! cmake --build "$folder" --target $targets -- --quiet >"$folder.build.log" 2>&1 </dev/null; then
    tail -n 60 "$folder.build.log" >&2
    exit 1
fi
