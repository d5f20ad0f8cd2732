# base_limits_of_the_unit.sh - cages are below the unit that fumehood runs in: its limits are theirs, and they go with it
# starter: root
# length: short
# seconds: 200
. /opt/systems/lib.sh
cat >much.py <<'PROGRAM'
much = bytearray(300 << 20)
print("have", len(much) >> 20)
PROGRAM
systemd-run -q --wait --pipe --collect --working-directory="$PWD" -p MemoryMax=60M -p MemorySwapMax=0 -p Delegate=yes \
    fumehood run --receipt receipt.json much.py >out 2>err
status=$?
tell "a cage cannot have more than its unit" "$status $(cat out)" "125 "
tell "which is not the program's limit" "$(field ending kind)" lost
systemd-run -q --wait --pipe --collect --working-directory="$PWD" -p MemoryMax=60M -p Delegate=yes fumehood doctor --all >out 2>&1
tell "doctor says so" "$(grep -A3 '^gap *memory of all' out | tr -s ' \n' ' ')" "*at most 60MiB*"

# Everything of a unit goes when it is stopped.
cat >many.py <<'PROGRAM'
import os, time
for _ in range(3):
    if os.fork() == 0:
        break
time.sleep(60)
PROGRAM
systemd-run -q --collect --unit=stopped-$$ --working-directory="$PWD" -p Delegate=yes sh -c 'fumehood run many.py; sleep 60'
wait_for 60 sh -c 'cat /sys/fs/cgroup/system.slice/stopped-'$$'.service/fumehood/*/run/cgroup.procs | grep -c . | grep -q "[5-9]"'
tell "the cage is below the unit" "$?" 0
systemctl stop stopped-$$
tell "a stopped unit leaves no control group" "$(groups_left) $(ls -d /sys/fs/cgroup/system.slice/stopped-$$* 2>/dev/null)" "0 "
tell "nor a process" "$(pgrep -cf many.py)" 0
