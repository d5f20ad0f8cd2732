# Takes the lock of a file that it can only read. That works, and is said in the documents: what is shown of the
# machine can be locked, so a program that waits for a lock below /usr could be kept waiting, and two cages could
# tell each other things by it.
import errno
import fcntl
import sys

reached = False
for path in ("/usr/bin/env", "/etc/ld.so.cache", "/usr/lib/os-release"):
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            print(path, "locked")
            fcntl.flock(file, fcntl.LOCK_UN)
            reached = True
    except OSError as why:
        print(path, errno.errorcode.get(why.errno))
    try:
        with open(path, "rb") as file:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            print(path, "leased")
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as why:
        print(path, "lease", errno.errorcode.get(why.errno))
sys.exit(10 if reached else 0)
