# limits_survive_reload.sh - systemd works out anew who has which controller while a run has a limit on processors
# starter: nobody root alice
# length: short
# seconds: 300
. /opt/systems/lib.sh
# Two processes that compute until they are told, however slow this machine is.
cat >two.py <<'PROGRAM'
import os, select
os.fork()
print("begun", flush=True)
while not select.select([0], [], [], 0)[0]:
    for _ in range(10000):
        pass
PROGRAM
mkfifo until
run --limit wall_ms=200s --limit idle_ms=unlimited --limit cpus=1 two.py <until &
two=$!
exec 9>until
wait_for 60 grep -q begun out || tell "the run begins" "$(cat err)" begun

# What asks for the controller beside us is taken away: a manager for root that a login has started.
[ "$WHO" != root ] || systemctl stop user@0.service
as_root systemctl daemon-reload
sleep 1
found=$(find /sys/fs/cgroup -name cpu.max -path '*fumehood*' -exec grep -hv '^max' {} + | sort -u)
tell "a reload leaves the limit where it is" "$found" "100000 100000"
sleep 10
exec 9>&-
wait "$two"
tell "the run ends by itself" "$(field ending kind)" exited
# Two processors would give it twice its time.
wall_s=$(seconds_of wall_us)
tell_at_most "seconds of processor time" "$(seconds_of cpu_us)" $((${wall_s#0} * 5 / 4 + 1))
tell "the limit is claimed" "$(field limits cpus enforced_by)" cgroup-v2
tell "no control group is left" "$(groups_left)" 0
