#!/bin/sh
# session.sh WHO cases|examples - the cases for somebody (nobody, root, alice), or what is evaluated; runs in the machine
here=/opt/systems
who=$1
length=long only=''
# shellcheck source=/dev/null
. "$here/order"

# header FILE WORD: what the file's head says after "# WORD:"
header() {
    sed -n "s/^# $2: *//p" "$1" | head -n 1
}

# pass NAME FILE STATUS ERRORS: the lines of a case with its name before them; one of its own where it says nothing, or breaks
pass() {
    sed -n "s/^\\(ok\\|not ok\\|skip\\) /\\1 $who: $1: /p" "$2"
    if ! grep -qE '^(ok|not ok|skip) ' "$2" || { [ "$3" != 0 ] && ! grep -q '^not ok ' "$2"; }; then
        echo "not ok $who: $1: ended with status $3: $(tail -n 1 "$4")"
    fi
}

run_case() {
    name=$(basename "$1" .sh)
    seconds=$(header "$1" seconds)
    work=$(mktemp -d "/var/tmp/case-$name.XXXXXX")
    cd "$work" || exit
    status=0
    WHO=$who timeout -k 5 "$((${seconds:-120} * 3))" sh "$1" >"$work/.out" 2>"$work/.err" </dev/null || status=$?
    pass "$name" "$work/.out" "$status" "$work/.err"
    cd / && rm -rf "$work"
}

cases() {
    for file in "$here"/cases/*.sh; do
        case " $(header "$file" starter) " in *" $who "*) ;; *) continue ;; esac
        [ "$length" = long ] || [ "$(header "$file" length)" = short ] || continue
        # shellcheck disable=SC2254 # a pattern
        case $(basename "$file" .sh) in ${only:-*}) run_case "$file" ;; esac
    done
}

examples() {
    work=$(mktemp -d /var/tmp/examples.XXXXXX)
    # An emulated processor is some twenty times slower than those that the examples' limit of time is for.
    cp -r "$here/examples" "$work/examples"
    sed -i 's/"wall_ms=[^"]*"/"wall_ms=30s"/' "$work/examples/expected.json"
    said=$(python3 -B "$here/demo.py" /usr/local/bin/fumehood "$work/examples" "$work/out" 2>&1) &&
        echo "ok $who: the examples have the verdicts that they must have" ||
        echo "not ok $who: the examples have the verdicts that they must have: $(echo "$said" | tail -n 3 | tr '\n' ' ')"
    if [ -e "$here/HumanEval.jsonl.gz" ]; then
        said=$(fumehood eval "$here/HumanEval.jsonl.gz" --candidates canonical --out "$work/human-eval" 2>&1) &&
            echo "ok $who: HumanEval's own answers pass" ||
            echo "not ok $who: HumanEval's own answers pass: $(echo "$said" | tail -n 3 | tr '\n' ' ')"
    else
        echo "skip $who: HumanEval's own answers pass: FUMEHOOD_DATA was not given"
    fi
    rm -rf "$work"
}

"$2"
