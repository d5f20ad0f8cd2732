#!/bin/sh
# run_all.sh - every test, in the plain build and in the one with sanitizers; the last line is "N passed, N failed"
#
# Warnings are errors. A part that cannot be built or that breaks counts as one failure; the other parts still run.
set -eu
cd "$(dirname "$0")/.."

results=$PWD/build/results
rm -rf "$results"
mkdir -p "$results"

# report NAME STATUS: a part that left no results of its own
broken() {
    printf '%s\n' "$2" >"$results/$1.broken"
    echo "$1: $2" >&2
}

# quiet LOG COMMAND...: show the output only when it fails
quiet() {
    log=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log"
        return 1
    fi
}

# part NAME PRESET: build, unit tests with fuzz replay and lint, then the stories
part() {
    name=$1 preset=$2 dir=$PWD/build/check-$1
    echo "== $name: build"
    if ! quiet "$results/$name.configure.log" cmake --preset "$preset" -B "$dir" -DFUMEHOOD_WERROR=ON ||
        ! quiet "$results/$name.build.log" cmake --build "$dir" --target all bench_warm; then
        broken "$name-build" "does not build"
        return
    fi
    echo "== $name: unit tests, fuzz replay, lint"
    ctest --test-dir "$dir" --output-on-failure --no-tests=error -j "$(nproc)" --timeout 300 \
        --output-junit "$results/$name-ctest.xml" >"$results/$name.ctest.log" 2>&1 ||
        tail -n 60 "$results/$name.ctest.log"
    [ -s "$results/$name-ctest.xml" ] || broken "$name-ctest" "left no results"
    echo "== $name: stories"
    # Debian's interpreter by its path: one from PATH may have no pytest
    # shellcheck disable=SC2086 # options
    FUMEHOOD_BIN=$dir/fumehood /usr/bin/python3 -m pytest tests/story ${3-} -q -rs -p no:cacheprovider \
        --junit-xml="$results/$name-story.xml" || [ -s "$results/$name-story.xml" ] ||
        broken "$name-story" "left no results"
}

# The stories that prove isolation, once more in slots. What they have is proved of the cage; the others are of the
# command line, of what is in /usr, and of tasks. Fewer faults than in fresh cages: there are twice as many points.
part_slots() {
    echo "== slots: stories"
    FUMEHOOD_CAGE=slot FUMEHOOD_FAULT_STRIDE=27 FUMEHOOD_BIN=$PWD/build/check-plain/fumehood \
        /usr/bin/python3 -m pytest tests/story/test_cage.py tests/story/test_limits.py tests/story/test_teardown.py \
        tests/story/test_profiles.py tests/story/test_faults.py -q -rs -p no:cacheprovider \
        --junit-xml="$results/slots-story.xml" || [ -s "$results/slots-story.xml" ] ||
        broken slots-story "left no results"
}

# The control groups of this machine are one kind; a virtual machine has the other. `make test-v2` installs what it needs.
part_vm() {
    echo "== control groups v2, in a virtual machine"
    status=0
    tests/vm/cgroup-v2.sh build/check-plain/fumehood >"$results/vm.log" 2>&1 || status=$?
    /usr/bin/python3 tests/vm/report.py "$status" "$results/vm.xml" <"$results/vm.log" || broken vm "left no results"
}

ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99
UBSAN_OPTIONS=print_stacktrace=1
PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS UBSAN_OPTIONS PYTHONDONTWRITEBYTECODE

# A program in which protections can be switched off; nothing but tests/story/test_mutation.py uses it.
build_mutant() {
    dir=$PWD/build/check-mutant
    echo "== mutant: build"
    if quiet "$results/mutant.configure.log" cmake --preset release -B "$dir" -DFUMEHOOD_MUTATION=ON -DFUMEHOOD_TESTS=OFF &&
        quiet "$results/mutant.build.log" cmake --build "$dir" --target fumehood; then
        FUMEHOOD_MUTANT=$dir/fumehood
        export FUMEHOOD_MUTANT
    else
        broken mutant "does not build"
    fi
}

build_mutant
part plain release
unset FUMEHOOD_MUTANT # once is enough
[ ! -x build/check-plain/fumehood ] || part_slots
# What these look at is no code of ours (the interpreter's behaviour, figures), and takes long there.
part asan asan "--ignore=tests/story/test_zygote.py --ignore=tests/story/test_bench.py --ignore=tests/story/test_runtimes.py"
[ ! -x build/check-plain/fumehood ] || part_vm
/usr/bin/python3 tests/summary.py "$results"
