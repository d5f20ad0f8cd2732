# base_in_scopes_and_units.sh - terminals, delegated scopes and units with a shell in them, and a unit that does not delegate
# starter: root alice
# length: short
# seconds: 300
. /opt/systems/lib.sh
cat >hello.py <<'PROGRAM'
print("hello")
PROGRAM
manager=--user
[ "$WHO" != root ] || manager=--system
set -- "$manager" --quiet --collect --working-directory="$PWD"

# within NAME WANTED COMMAND...: run from a shell that systemd-run starts as COMMAND says
within() {
    name=$1 wanted=$2
    shift 2
    rm -f receipt.json out err
    "$@" sh -c 'cat /proc/self/cgroup >before; fumehood run --receipt receipt.json hello.py >out 2>err; echo $? >status
        cat /proc/self/cgroup >after'
    tell "$name: it runs" "$(cat status out err)" "0?hello"
    tell "$name: the base" "$(field cgroup base) $(field cgroup unit)" "$wanted"
}

within "a terminal's scope" "scope fumehood-*" systemd-run "$manager" -q --collect --scope --slice=app-terminal.slice
tell "its shell stays where it was" "$(cat after)" "$(cat before)"
within "a delegated scope" "delegated run-*.scope" systemd-run "$manager" -q --collect --scope -p Delegate=yes
tell "its shell is moved aside" "$(cat after)" "$(cat before)/fumehood.supervisor"
within "a delegated unit" "delegated run-*.service" systemd-run "$@" --wait -p Delegate=yes
tell "its shell is moved aside, too" "$(cat after)" "$(cat before)/fumehood.supervisor"
[ "$WHO" != root ] || within "a delegated unit of a user" "delegated run-*.service" \
    sh -c 'chown alice . hello.py *; shift; exec systemd-run "$@"' - -q "$@" --wait -p Delegate=yes -p User=alice

[ "$WHO" != root ] || chown root . -- *

# An evaluation in the scope, where it shares the group with its shell.
systemd-run "$manager" -q --collect --scope -p Delegate=yes sh -c 'fumehood eval "$1/examples/functions.json" --ids "[a-f]*" \
    --candidates "$1/examples/candidates/functions-good" --out results >out 2>err; echo $? >status' - "$here"
tell "an evaluation in a delegated scope passes" "$(cat status) $(grep -o ' passed (100' out) $(cat err)" "0  passed (100*"

# Neither nested in, nor left: a limit of a cage's would stop the whole unit, or the unit's limits would not hold.
unit=plain-$WHO-$$.service
systemd-run "$@" --unit="$unit" sh -c '
    fumehood run hello.py >out 2>err; echo $? >status
    fumehood run --if-available --receipt receipt.json hello.py >out2 2>err2; echo $? >status2
    touch end; sleep 60'
wait_for 60 test -e end
tell "a unit that does not delegate is refused" "$(cat status out)" 126
tell "the remedy names it" "$(cat err)" "*add Delegate=yes to $unit)"
tell "without the limits it goes on" "$(cat status2 out2)" "0?hello"
tell "which is said" "$(field cgroup manager) $(field limits memory_bytes enforced_by)" "none rlimit"
tell "the unit is alive after" "$(systemctl "$manager" is-active "$unit")" active
systemctl "$manager" stop "$unit"
systemd-run "$manager" -q --collect --scope -p MemoryMax=500M sh -c 'fumehood run hello.py >out 2>err; echo $? >status'
tell "limits of a scope are not left" "$(cat status err)" "126*-p Delegate=yes)"
tell "no control group is left" "$(groups_left)" 0
