# Opens terminals until none are left, by every path that they may have, and asks one of them to load a driver. The machine
# has a few thousand terminals for all of its users; a cage has some of its own. Bare, one is opened and closed.
import fcntl
import os
import sys

GIVEN = 16  # CAGE_TERMINALS_MAX
control = "DRILL_CONTROL" in os.environ
reached = 0
opened = []
for path in ["/dev/ptmx", "/dev/pts/ptmx", "/dev/tty", "/dev/console", "/proc/self/root/dev/ptmx", "/dev/pts/0"]:
    try:
        for _ in range(1 if control else 5000):
            opened.append(os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError as error:
        print(f"{path}: {len(opened)} opened until now, {error.strerror}")
    if path in ("/dev/tty", "/dev/console") and opened and os.readlink(f"/proc/self/fd/{opened[-1]}") == path:
        reached += 1
    if opened and control:
        sys.exit(10)
if len(opened) > GIVEN + 1:  # the last is another end of the first
    reached += 1
for discipline in (1, 3, 21, 23):
    try:
        fcntl.ioctl(opened[0], 0x5423, discipline.to_bytes(4, "little"))
        print(f"line discipline {discipline}: set")
        reached += 1
    except (OSError, IndexError) as error:
        print(f"line discipline {discipline}: {error}")
for path in ("/dev/pts", "/dev/pts/ptmx", "/dev/pts/0"):  # what would stay for the next run
    for leave in (lambda: os.chmod(path, 0o777), lambda: os.utime(path, (1, 1)), lambda: os.setxattr(path, "user.a", b"b")):
        try:
            leave()
            print(f"{path}: changed")
            reached += 1
        except OSError:
            pass
sys.exit(10 if reached else 0)
