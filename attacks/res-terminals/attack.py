# Opens terminals until none are left, by every path that they may have. The machine has a few thousand of them for all of
# its users. Bare, one is opened and closed.
import os
import sys

reached = 0
for path in ["/dev/ptmx", "/dev/pts/ptmx", "/dev/tty", "/dev/console", "/proc/self/root/dev/ptmx", "/dev/pts/0"]:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        print(f"{path}: opened")
        reached += 1
    except OSError as error:
        print(f"{path}: {error.strerror}")
    if reached and "DRILL_CONTROL" in os.environ:
        break
sys.exit(10 if reached else 0)
