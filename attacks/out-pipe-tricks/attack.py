# Does to its streams what the other end may not expect: reads its output, writes to its input, makes them non-
# blocking and asynchronous with another owner, makes their pipes small and large, locks them. The supervisor must
# go on serving them.
import errno
import fcntl
import os
import sys

F_SETPIPE_SZ, F_SETSIG, F_SETOWN, O_ASYNC = 1031, 10, 8, 0o20000


def attempt(what, action):
    try:
        print(what, action(), file=log)
    except OSError as why:
        print(what, errno.errorcode.get(why.errno), file=log)


log = open("/work/log", "w")
for fd in (0, 1, 2):
    for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        attempt(f"open {fd} {mode}", lambda: os.open(f"/proc/self/fd/{fd}", mode | os.O_NONBLOCK))
    for size in (4096, 1 << 20, 1 << 30, 4096):
        attempt(f"size {fd} {size}", lambda: fcntl.fcntl(fd, F_SETPIPE_SZ, size))
    for owner in (1, -1, os.getpid(), os.getppid()):
        attempt(f"owner {fd} {owner}", lambda: fcntl.fcntl(fd, F_SETOWN, owner))
    attempt(f"mode {fd}", lambda: os.fchmod(fd, 0))
    attempt(f"truncate {fd}", lambda: os.ftruncate(fd, 1 << 40))
    attempt(f"seek {fd}", lambda: os.lseek(fd, 0, 2))
    attempt(f"lock {fd}", lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB))
    attempt(f"flags {fd}", lambda: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND | O_ASYNC | os.O_DIRECT))
    attempt(f"read {fd}", lambda: os.read(fd, 100))
os.set_blocking(1, True)
os.write(1, b"done\n")
for fd in range(3, 64):  # the read end of its output is held by it to the end
    os.set_inheritable(fd, True) if os.path.exists(f"/proc/self/fd/{fd}") else None
if os.fork() == 0:
    os.setsid()
    os.execv("/bin/sleep", ["sleep", "30"])
os._exit(0)
