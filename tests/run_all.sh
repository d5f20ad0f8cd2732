#!/bin/sh
# run_all.sh [check] - every test, each once; the last line is "N passed, N failed"
#
# check: what takes about a minute: unit tests, fuzz replay and lint. All is these, the stories, and what tests/parts.sh adds.
# Much of that waits, so parts that do not touch run beside each other, each in a lane: control groups of its own, in which
# what it leaves is found (tests/lane.sh). Where there can be no lanes they run one after the other.
set -eu
cd "$(dirname "$0")/.."

results=build/results
rm -rf "$results"
mkdir -p "$results"
ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99
UBSAN_OPTIONS=print_stacktrace=1
PYTHONDONTWRITEBYTECODE=1
FUMEHOOD_TESTS_BEGAN=$(date +%s)
export ASAN_OPTIONS UBSAN_OPTIONS PYTHONDONTWRITEBYTECODE FUMEHOOD_TESTS_BEGAN

lanes=
end_lanes() {
    for lane in $lanes; do
        status=0
        wait "${lane#*:}" || status=$?
        cat "$results/lane-${lane%:*}.log"
        [ "$status" = 0 ] || echo "ended with status $status" >"$results/lane-${lane%:*}.broken"
        tests/lane.sh -r "tests-lane-$$-${lane%:*}"
    done
    lanes=
}

# Stopped from outside: the lanes end with us.
stop() {
    trap - TERM HUP INT
    for lane in $lanes; do
        kill -- "-${lane#*:}" 2>/dev/null || true
    done
    end_lanes
    exit 143
}

# lane PART...
lane() {
    tests/lane.sh "tests-lane-$$-$1" tests/parts.sh "$@" >"$results/lane-$1.log" 2>&1 &
    lanes="$lanes $1:$!"
}

tests/parts.sh build
if [ "${1-}" = check ]; then
    tests/parts.sh check
elif tests/lane.sh "tests-lane-$$" true; then
    tests/lane.sh -r "tests-lane-$$"
    tests/parts.sh mutant unit
    trap stop TERM HUP INT
    echo "three lanes: the drill, slots and the virtual machines; the stories; sanitizers"
    lane drill slots vm systems
    lane stories
    lane asan
    end_lanes
    tests/parts.sh alone
else
    tests/parts.sh mutant unit drill slots stories asan vm systems alone
fi
/usr/bin/python3 tests/summary.py "$results"
