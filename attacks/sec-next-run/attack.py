# The first run leaves a word in every place that outlives a process: System V memory, queues, an abstract socket,
# the key ring, a process in the background. The second one looks for it. If it worked, one person's data would
# reach the next.
import ctypes
import os
import socket
import sys
import time

word, second = sys.argv[1].encode(), len(sys.argv) > 2
control = os.environ.get("DRILL_CONTROL")
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
KEY, MTYPE = 0x6472696c, ctypes.c_long(1)
found = []


def leave():
    memory = libc.shmget(KEY, 4096, 0o1666)
    at = libc.shmat(memory, None, 0)
    if at and at != ctypes.c_void_p(-1).value:
        ctypes.memmove(at, word, len(word))
    queue = libc.msgget(KEY, 0o1666)
    libc.msgsnd(queue, bytes(MTYPE) + word, len(word), 0o4000)
    libc.semget(KEY, 1, 0o1666)
    libc.syscall(248, b"user", b"drill", word, len(word), -4)  # add_key, user key ring
    return memory, queue


def background():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            s = socket.socket(socket.AF_UNIX)
            s.bind(b"\0drill-left")
            s.listen(1)
            for fd in (0, 1, 2):
                os.close(fd)
            time.sleep(5)
        os._exit(0)


def look():
    memory = libc.shmget(KEY, 0, 0)
    if memory >= 0:
        found.append("memory " + str(ctypes.string_at(libc.shmat(memory, None, 0o10000), 8) == word[:8]))
    if libc.msgget(KEY, 0) >= 0:
        found.append("queue")
    if libc.semget(KEY, 0, 0) >= 0:
        found.append("semaphore")
    if libc.syscall(249, b"user", b"drill", None, 0) > 0:
        found.append("key")
    try:
        socket.socket(socket.AF_UNIX).connect(b"\0drill-left")
        found.append("process")
    except OSError:
        pass
    if not control:
        others = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]
        found.extend(others)


if control:  # bare: memory and queue only, removed at once
    ids = leave()
    look()
    libc.shmctl(ids[0], 0, None)
    libc.msgctl(ids[1], 0, None)
    libc.semctl(libc.semget(KEY, 0, 0), 0, 0)
    key = libc.syscall(249, b"user", b"drill", None, 0)
    libc.syscall(250, 9, key, -4)
else:
    look()
    if not second:
        leave()
        background()
print("found", found)
sys.exit(10 if found else 0)
