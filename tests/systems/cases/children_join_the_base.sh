# children_join_the_base.sh - what fumehood starts of itself finds the base of control groups beside it, and makes none below
# starter: root alice
# length: short
# seconds: 200
. /opt/systems/lib.sh
fumehood drill --json --attacks "$here/attacks" --only 'sup-exit-12*' >drill.json 2>err &
drill=$!
nested='' seen=0
while kill -0 $drill 2>/dev/null; do
    for own in $(sed -n 's/^0:://p' /proc/$drill/cgroup 2>/dev/null); do
        seen=$((seen + 1))
        case $own in */fumehood.supervisor/*) nested=$own ;; esac
    done
    sleep 0.3
done
wait $drill || true
tell "its control group was looked at" "$((seen > 0))" 1
tell "it stays where it was put at first" "$nested" ""
tell "no control group is left" "$(groups_left)" 0
