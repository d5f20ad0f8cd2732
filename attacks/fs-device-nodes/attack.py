# Makes nodes for memory, terminals and disks, also for the disk that its own list of mounts names, and opens them. If
# it worked, a program could read the machine's disks past all rights.
import errno
import os
import stat
import sys

control = os.environ.get("DRILL_CONTROL")
places = [sys.argv[1]] if control else ["/work", "/tmp", "/dev/shm", "/dev", "/"]
# bare: the null device only
nodes = {("c", 1, 3)}
if not control:
    nodes |= {("c", 1, 1), ("c", 1, 2), ("c", 1, 4), ("c", 1, 11), ("c", 5, 0), ("c", 5, 2), ("c", 10, 200), ("c", 10, 229),
              ("c", 10, 232), ("b", 7, 0), ("b", 8, 0), ("b", 254, 0), ("b", 259, 0)}
    for line in open("/proc/self/mountinfo"):
        major, minor = line.split()[2].split(":")
        nodes |= {("b", int(major), int(minor)), ("b", int(major), 0)}
reached = 0
for place in places:
    for kind, major, minor in sorted(nodes):
        path = f"{place}/node"
        mode = (stat.S_IFCHR if kind == "c" else stat.S_IFBLK) | 0o666
        for way in ("mknod", "mknodat"):
            fd = None
            try:
                if way == "mknod":
                    os.mknod(path, mode, os.makedev(major, minor))
                else:
                    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
                    os.mknod("node", mode, os.makedev(major, minor), dir_fd=fd)
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
                print(path, kind, major, minor, "reached")
                reached += 1
            except OSError as why:
                if place == places[0]:
                    print(path, kind, major, minor, errno.errorcode.get(why.errno))
            finally:
                if fd is not None:
                    os.close(fd)
                if os.path.lexists(path):
                    os.unlink(path)
sys.exit(10 if reached else 0)
