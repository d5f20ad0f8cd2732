# limits_survive_reload.sh - systemd works out anew who has which controller while a run has a limit on processors
# starter: nobody root alice
# length: short
# seconds: 200
. /opt/systems/lib.sh
cat >two.py <<'PROGRAM'
import os, time
os.fork()
print("begun", flush=True)
end = time.time() + 20
while time.time() < end:
    pass
PROGRAM
run_two() {
    run --limit wall_ms=90s --limit cpus=1 two.py &
    two=$!
    wait_for 40 grep -q begun out || tell "the run begins" "$(cat err)" begun
}

# What asks for the controller beside us is taken away: a manager for root that a login has started.
run_two
[ "$WHO" != root ] || systemctl stop user@0.service
as_root systemctl daemon-reload
sleep 1
found=$(find /sys/fs/cgroup -name cpu.max -path '*fumehood*' -exec grep -hv '^max' {} + | sort -u)
tell "a reload leaves the limit where it is" "$found" "100000 100000"
wait "$two"
tell "the run ends by itself" "$(field ending kind)" exited
# Two processors would give it 40 s.
tell_at_most "seconds of processor time" "$(seconds_of cpu_us)" 24
tell "the limit is claimed" "$(field limits cpus enforced_by)" cgroup-v2
tell "no control group is left" "$(groups_left)" 0
