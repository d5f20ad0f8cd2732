#!/bin/sh
# parts.sh PART... - parts of the tests, one after the other; called by run_all.sh
#
# Results are left in build/results: NAME-*.xml, or NAME.broken where a part cannot be built or breaks; the next part runs.
# Warnings are errors.
set -eu
cd "$(dirname "$0")/.."
results=$PWD/build/results

say() {
    printf '== %4d s  %s\n' "$(($(date +%s) - ${FUMEHOOD_TESTS_BEGAN:-$(date +%s)}))" "$*"
}

# broken NAME WHAT: a part that left no results of its own
broken() {
    printf '%s\n' "$2" >"$results/$1.broken"
    echo "$1: $2" >&2
}

# build NAME PRESET TARGETS [OPTION]...: into build/check-NAME
build() {
    name=$1 preset=$2 targets=$3
    shift 3
    say "$name: build"
    scripts/build.sh "$preset" "build/check-$name" "$targets" -DFUMEHOOD_WERROR=ON "$@" || broken "$name-build" "does not build"
}

# unit NAME OPTION...: what ctest knows of
unit() {
    name=$1
    shift
    say "$name: unit tests, fuzz replay, lint"
    ctest --test-dir "build/check-$name" --output-on-failure --no-tests=error --timeout 300 "$@" \
        --output-junit "$results/$name-ctest.xml" >"$results/$name.ctest.log" 2>&1 ||
        tail -n 60 "$results/$name.ctest.log"
    [ -s "$results/$name-ctest.xml" ] || broken "$name-ctest" "left no results"
}

# stories BUILD NAME WORD...: pytest, of Debian's interpreter by its path: one from PATH may have no pytest
stories() {
    FUMEHOOD_BIN=$PWD/build/check-$1/fumehood
    export FUMEHOOD_BIN
    name=$2
    shift 2
    say "$name: stories"
    /usr/bin/python3 -m pytest "$@" -q -rs --durations=5 --junit-xml="$results/$name-story.xml" ||
        [ -s "$results/$name-story.xml" ] || broken "$name-story" "left no results"
}

story_files() {
    printf 'tests/story/test_%s.py\n' "$@"
}

part_build() { build plain release "all bench_warm" -DFUMEHOOD_TESTS=ON; }
part_check() { unit plain -j "$(nproc)" -LE endure; }
part_endure() { unit plain -j "$(nproc)" -L endure; }
part_unit() { unit plain -j "$(nproc)"; }

# A program in which protections can be switched off; nothing but tests/story/test_mutation.py uses it.
part_mutant() { build mutant release fumehood -DFUMEHOOD_MUTATION=ON -DFUMEHOOD_TESTS=OFF; }

# The drill finds what drills have left on the machine, so nothing else drills meanwhile.
part_drill() {
    FUMEHOOD_MUTANT=$PWD/build/check-mutant/fumehood
    export FUMEHOOD_MUTANT
    # shellcheck disable=SC2046 # words
    stories plain drill $(story_files drill mutation) -m "not alone"
    unset FUMEHOOD_MUTANT
}

part_stories() {
    # shellcheck disable=SC2046 # words
    stories plain plain tests/story $(story_files drill mutation | sed 's/^/--ignore=/') -m "not alone"
}

# What stops every run of the machine.
part_alone() { stories plain alone tests/story -m alone; }

# The stories that prove isolation, once more in slots; the others are of the command line, of what is in /usr, and of
# tasks. Fewer faults than in fresh cages: there are twice as many points.
part_slots() {
    FUMEHOOD_CAGE=slot FUMEHOOD_FAULT_STRIDE=27
    export FUMEHOOD_CAGE FUMEHOOD_FAULT_STRIDE
    # shellcheck disable=SC2046 # words
    stories plain slots $(story_files cage limits teardown profiles faults) -m "not alone"
    unset FUMEHOOD_CAGE FUMEHOOD_FAULT_STRIDE
}

# Once more with sanitizers: what reads foreign bytes, what kills, what fails half way. The other stories are of the kernel,
# of the machine's languages, and of figures. The long runs look for what grows, as the sanitizers' own memory does.
part_asan() {
    build asan asan "all bench_warm" -DFUMEHOOD_TESTS=ON
    unit asan -j 1 -LE "endure|lint"
    # shellcheck disable=SC2046 # words
    stories asan asan $(story_files allocation bad_input cli eval limits profiles run_basics slots teardown) -m "not alone"
}

# The control groups of this machine are one kind; a virtual machine has the other. `make test-v2` installs what it needs.
part_vm() {
    say "control groups v2, in a virtual machine"
    status=0
    tests/vm/cgroup-v2.sh build/check-plain/fumehood >"$results/vm.log" 2>&1 || status=$?
    /usr/bin/python3 tests/vm/report.py cgroup-v2 "$status" "$results/vm.xml" <"$results/vm.log" || broken vm "left no results"
}

# Stock Debian 12, as its people have it: `make test-systems` does more.
part_systems() {
    say "a stock Debian 12, in a virtual machine"
    status=0
    tests/systems/machine.sh build/check-plain/fumehood bookworm short >"$results/systems.log" 2>&1 || status=$?
    /usr/bin/python3 tests/vm/report.py systems "$status" "$results/systems.xml" <"$results/systems.log" ||
        broken systems "left no results"
}

for part in "$@"; do
    "part_$part"
done
