# Looks for control group files wherever they may be, and opens those for writing that hold limits, that move processes,
# and that name a program which the host runs. If one opened, the limits would be the guest's own to set.
import os
import sys

BARE = "DRILL_CONTROL" in os.environ
WANTED = {"cgroup.procs", "tasks", "memory.max", "memory.limit_in_bytes", "pids.max", "cpu.max", "cpu.cfs_quota_us",
          "release_agent", "notify_on_release", "cgroup.kill", "cgroup.freeze", "devices.allow"}
PLACES = ["/sys/fs/cgroup", "/sys", "/proc/1/root/sys/fs/cgroup", "/proc/self/root/sys/fs/cgroup", "/dev/cgroup",
          "/run/cgroup", "/cgroup", "/work", "/tmp"]
reached = seen = 0

for place in PLACES[:1] if BARE else PLACES:
    for folder, folders, names in os.walk(place):
        del folders[8:]  # a few of each kind are enough
        for name in WANTED & set(names):
            path, seen = os.path.join(folder, name), seen + 1
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))  # opened is enough: nothing is written
                reached += 1
            except OSError as error:
                print(f"open {path}: {error.strerror}")
            if BARE and reached:
                break
        if BARE and reached:
            break
with open("/proc/self/cgroup") as lines:
    for line in lines:
        path = line.rstrip("\n").split(":")[2]
        if path not in ("/", "") and not BARE:
            print("its group has the name", path)
            reached += 1
print(f"{seen} files seen, {reached} opened")
sys.exit(10 if reached else 0)
