#!/bin/sh
# init.sh - the first process of the test machine: mount what a system has, run the script, power off
#
# The first root cannot be pivoted away from, and a cage pivots; so everything moves to a tmpfs first.
if [ ! -e /moved ]; then
    mount -t tmpfs -o mode=755 tmpfs /new
    cp -a /usr /bin /sbin /lib /lib64 /etc /init /script.sh /root /var /new/
    for extra in /*; do
        [ -e "/new$extra" ] || [ "$extra" = /new ] || cp -a "$extra" /new/
    done
    : >/new/moved
    exec switch_root /new /init
fi
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up 2>/dev/null
export PATH=/usr/bin HOME=/root LANG=C.UTF-8
cd /root || exit
exec </dev/null >/dev/ttyS0 2>&1
echo
echo VM-BEGIN
sh /script.sh
echo "VM-END $?"
sync
reboot -f
