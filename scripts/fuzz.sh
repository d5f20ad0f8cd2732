#!/bin/sh
# fuzz.sh SECONDS - let libFuzzer look for inputs that break a parser, so many seconds each
#
# Needs clang. New inputs are kept in build/fuzz/corpus/; what breaks a parser stays in build/fuzz/found/, and the status is 1.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-30}

cmake --preset asan -B build/fuzz -DCMAKE_C_COMPILER=/usr/bin/clang -DFUMEHOOD_FUZZ=ON >build/fuzz.log 2>&1 || { cat build/fuzz.log; exit 1; }
cmake --build build/fuzz
mkdir -p build/fuzz/found
status=0
for program in build/fuzz/tests/libfuzzer_*; do
    [ -x "$program" ] || continue
    name=${program##*/libfuzzer_}
    mkdir -p "build/fuzz/corpus/$name"
    echo "== $name"
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/found/$name-" "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" \
        >"build/fuzz/$name.log" 2>&1 || { tail -n 40 "build/fuzz/$name.log"; status=1; }
    grep -E 'number_of_executed_units|peak_rss' "build/fuzz/$name.log" || true
done
exit "$status"
