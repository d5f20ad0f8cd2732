# base_is_found.sh - where cages' control groups are: the unit's own group, or a scope that is asked for; once for an evaluation
# starter: nobody root alice
# length: short
# seconds: 200
. /opt/systems/lib.sh
echo 'print("hello")' >hello.py
own=$(cat /proc/self/cgroup)
run hello.py
tell "it runs" "$status $(cat out err)" "0 hello"
case $WHO in
nobody)
    tell "the unit's own group is the base" "$(field cgroup base) $(field cgroup unit)" "delegated run-*.service"
    tell "who shares it is moved aside" "$(cat /proc/self/cgroup)" "*.service/fumehood.supervisor"
    ;;
*)
    tell "a scope is the base" "$(field cgroup base) $(field cgroup unit)" "scope fumehood-*.scope"
    tell "the shell stays where it was" "$(cat /proc/self/cgroup)" "$own"
    ;;
esac

# What is known of the session is not needed.
env -i /usr/local/bin/fumehood run hello.py >out 2>err
tell "it runs without an environment" "$? $(cat out err)" "0 hello"

sleep 1
begun=$(date +%s)
fumehood eval "$here/examples/functions.json" --candidates "$here/examples/candidates/functions-good" --out results --jobs 2 >out 2>err
tell "an evaluation passes" "$? $(grep -o '14 of 14 passed' out) $(cat err)" "0 14 of 14 passed *"
bases=$(grep -oh '"cgroup":{[^}]*}' results/receipts.jsonl | sort -u)
tell "its workers have one base" "$bases" '"cgroup":{"base":"'*
tell "it is one" "$(echo "$bases" | wc -l)" 1
if [ "$WHO" != nobody ]; then
    tell "systemd was asked once" "$(scopes_started "$begun")" 1
fi
fumehood doctor --all >out
tell "doctor says that a run is possible" "$? $(sed -n 's/^can run *//p' out)" "0 yes*"
tell "doctor says where the base is" "$(sed -n 's/^ok *cgroup  *//p' out)" "v2, *"
tell "explain does not refuse" "$(fumehood policy explain default | grep -c refused)" 0
tell "nobody has moved aside twice" "$(find /sys/fs/cgroup -path '*/fumehood.supervisor/*' -type d)" ""
tell "no control group is left" "$(groups_left)" 0
