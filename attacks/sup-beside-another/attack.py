# Signals, slows and locks whatever it can name: all processes, process numbers one by one, locks on the toolchains,
# names in queues and sockets. A harmless run beside it must not notice. Bare, it only asks whether it could signal
# the victim.
import errno
import fcntl
import os
import signal
import socket
import sys
import time

victim = int(sys.argv[1])
if os.environ.get("DRILL_CONTROL"):
    os.kill(victim, 0)
    print("victim: reached")
    sys.exit(10)

for number in (signal.SIGTERM, signal.SIGCONT, signal.SIGUSR1, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
counts = {}


def attempt(action):
    try:
        action()
        name = "done"
    except OSError as why:
        name = errno.errorcode.get(why.errno)
    counts[name] = counts.get(name, 0) + 1
    return name == "done"


own = set()
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:  # its own share of the processor, to the full
            pass
        os._exit(0)
    own.add(pid)
held = [open(path, "rb") for path in ("/usr/bin/env", "/etc/ld.so.cache", sys.executable)]
for file in held:
    attempt(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
reached = False
for pid in [victim] + list(range(2, 4000)):
    if pid in own or pid == os.getpid():
        continue
    for number in (0, signal.SIGSTOP, signal.SIGKILL):
        if attempt(lambda: os.kill(pid, number)):
            print(pid, "reached")
            reached = True
    attempt(lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
attempt(lambda: os.setpriority(os.PRIO_USER, 0, 19))
for name in ("fumehood", "cage", "drill", "line"):
    attempt(lambda: socket.socket(socket.AF_UNIX).bind(b"\0" + name.encode()))
attempt(lambda: os.kill(-1, signal.SIGCONT))
for pid in own:
    os.waitpid(pid, 0)
print(counts)
sys.exit(10 if reached else 0)
