# Opens memory, environment, maps, open files, root and more of process 1, of its parent and of a process outside, by every
# path below /proc. The first process of a cage is a copy of the supervisor: what it holds must not be readable.
import os
import sys

BARE = "DRILL_CONTROL" in os.environ
NAMES = ["mem", "environ", "maps", "smaps", "auxv", "stack", "syscall", "wchan", "io", "pagemap", "personality", "numa_maps",
         "clear_refs", "timers", "cmdline"]
PUBLIC = {"cmdline"}  # for processes that it may see
LINKS = ["exe", "cwd", "root", "fd/0", "fd/1", "fd/2", "fd/3", "map_files", "ns/mnt"]
reached = 0


def attempt(path, mode):
    global reached
    try:
        fd = os.open(path, mode)
        if os.path.basename(path) not in PUBLIC:
            reached += bool(os.read(fd, 16)) or mode != os.O_RDONLY
            print(f"{path}: opened")
        os.close(fd)
    except OSError as error:
        print(f"{path}: {error.strerror}")


for pid in [sys.argv[1]] if BARE else [sys.argv[1], "1", str(os.getppid())]:
    for base in ([f"/proc/{pid}"] if BARE else [f"/proc/{pid}", f"/proc/self/task/{pid}", f"/proc/1/root/proc/{pid}"]):
        for name in NAMES:
            attempt(f"{base}/{name}", os.O_RDONLY)
        if not BARE:
            attempt(base + "/mem", os.O_RDWR)
            attempt(base + "/exe", os.O_WRONLY)
        for name in LINKS:
            try:
                print(f"{base}/{name}: {os.readlink(f'{base}/{name}')}")
                reached += 1
            except OSError as error:
                print(f"{base}/{name}: {error.strerror}")
if not BARE:
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
    print("it sees", others)
    reached += len(others)
sys.exit(10 if reached else 0)
