# lib.sh - what cases share; each begins with `. /opt/systems/lib.sh`
#
# A case is cases/NAME.sh with a head:
#   # starter: nobody root alice     who runs it, in turn: a unit with Delegate=yes while nobody is logged in; root and alice
#                                    (groups adm and sudo, sudo without a password) over ssh. Or some of these
#   # length: short | long           short: also in `make test`
#   # seconds: 120                   it is ended after three times that: other things may run beside the machine
# It prints "ok WHAT", "not ok WHAT: SEEN" or "skip WHAT: WHY"; WHAT holds for what is right. It has an empty working folder
# that others may not enter, $WHO, fumehood in PATH; $here/examples, attacks. It puts back what it changes of the machine.
# shellcheck shell=sh disable=SC2034 # used by cases
here=/opt/systems
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# tell WHAT SEEN WANTED: WANTED is a pattern
tell() {
    # shellcheck disable=SC2254
    case $2 in
    $3) echo "ok $1" ;;
    *) echo "not ok $1: $(printf '%s' "$2" | tr '\n' ' ') (not $3)" ;;
    esac
}

# tell_at_most WHAT SEEN MOST: whole numbers
tell_at_most() {
    if [ "$2" -le "$3" ] 2>/dev/null; then echo "ok $1"; else echo "not ok $1: $2 (not at most $3)"; fi
}

# run OPTION... FILE: one run; leaves $status, and its streams and receipt in the files out, err and receipt.json
run() {
    rm -f receipt.json
    status=0
    timeout 250 fumehood run --receipt receipt.json "$@" >out 2>err || status=$?
}

# field KEY...: a member of the receipt, such as `field limits cpus enforced_by`; objects as JSON, nothing where it is absent
field() {
    python3 -c '
import json, sys
value = json.load(open("receipt.json"))
for key in sys.argv[1:]:
    value = value.get(key) if isinstance(value, dict) else value[int(key)]
    if value is None:
        break
print(value if isinstance(value, str) else json.dumps(value, sort_keys=True))' "$@" 2>/dev/null
}

# seconds_of KEY: whole seconds of a time in the receipt's usage, such as cpu_us; nothing where it is absent
seconds_of() {
    field usage "$1" | sed -n 's/^\([0-9]*\)[0-9]\{6\}$/0\1/p'
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
    tries=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.2
    done
}

# as_root COMMAND...: what a case does to the machine itself
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# groups_left: control groups of cages, of anybody
groups_left() {
    find /sys/fs/cgroup -type d \( -name 'fumehood-[0-9]*-*' ! -name '*.scope' -o -name 'slot-*' \) | wc -l | tr -d ' '
}

# scopes_started SINCE: of fumehood's own, by all managers, from that second on; how the line is worded is each systemd's
scopes_started() {
    as_root journalctl -q -o json --since "@$1" 2>/dev/null | grep -E '"JOB_TYPE" ?: ?"start"' |
        grep -cE '"(USER_)?UNIT" ?: ?"fumehood-[0-9]+-[0-9a-f]+\.scope"'
}
