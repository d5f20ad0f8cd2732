# a_run_works.sh - the default policy's limits are held, by the version of control groups that is here
# starter: nobody root
# length: short
. /opt/systems/lib.sh
echo 'print("hello")' >hello.py
run hello.py
tell "it runs" "$status $(cat out err)" "0 hello"
for key in memory_bytes processes cpus; do
    tell "$key is held by cgroup v2" "$(field limits $key enforced_by)" cgroup-v2
done
# What this kernel does not count is not 0.
for row in memory_peak_bytes:memory.peak processes_peak:pids.peak; do
    seen='[1-9]*'
    [ -e "/sys/fs/cgroup/system.slice/${row#*:}" ] || seen=null
    tell "${row%:*} is what the kernel counts" "$(field usage "${row%:*}")" "$seen"
done
tell "no control group is left" "$(groups_left)" 0
