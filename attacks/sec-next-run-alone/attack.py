# The first run leaves a word in every place that outlives a process, and is one process from its start to its end, so
# that nothing but the word is a reason not to use its slot again. The second run, in that slot, looks for it.
import ctypes
import os
import sys

word, second = sys.argv[1].encode(), len(sys.argv) > 2
control = os.environ.get("DRILL_CONTROL")
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
KEY, QUEUE = 0x6472696d, b"/drill-left-alone"
FOLDERS = ["/tmp", "/dev/shm", "/work", os.path.expanduser("~"), "/scratch", "/proc", "/"]
SYS_add_key, SYS_request_key, SYS_keyctl, REVOKE, USER_RING = 248, 249, 250, 3, -4
found = []


def leave():
    memory = libc.shmget(KEY, 4096, 0o1666)
    at = libc.shmat(memory, None, 0)
    if at and at != ctypes.c_void_p(-1).value:
        ctypes.memmove(at, word, len(word))
    libc.msgget(KEY, 0o1666)
    libc.semget(KEY, 1, 0o1666)
    libc.mq_open(QUEUE, os.O_CREAT | os.O_RDWR, 0o600, None)
    libc.syscall(SYS_add_key, b"user", b"drill-alone", word, len(word), USER_RING)
    for folder in FOLDERS if not control else []:
        for name in ("left", ".left"):
            try:
                with open(f"{folder}/{name}", "w") as file:
                    file.write(word.decode())
            except OSError:
                pass
    for path, text in (("/proc/self/comm", "left"), ("/proc/self/oom_score_adj", "999"), ("/proc/self/timerslack_ns", "9")):
        try:
            open(path, "w").write(text)
        except OSError:
            pass


def look():
    for what, number in (("memory", libc.shmget(KEY, 0, 0)), ("queue", libc.msgget(KEY, 0)), ("semaphore", libc.semget(KEY, 0, 0)),
                         ("named queue", libc.mq_open(QUEUE, os.O_RDWR)),
                         ("key", libc.syscall(SYS_request_key, b"user", b"drill-alone", None, 0))):
        if number >= 0:
            found.append(what)
    for folder in FOLDERS if not control else []:
        found.extend(name for name in ("left", ".left") if os.path.exists(f"{folder}/{name}"))
    if not control and open("/proc/self/oom_score_adj").read().strip() not in ("0", "1000"):
        found.append("its place among those to be killed")


def remove():
    libc.shmctl(libc.shmget(KEY, 0, 0), 0, None)
    libc.msgctl(libc.msgget(KEY, 0), 0, None)
    libc.semctl(libc.semget(KEY, 0, 0), 0, 0)
    libc.mq_unlink(QUEUE)
    libc.syscall(SYS_keyctl, REVOKE, libc.syscall(SYS_request_key, b"user", b"drill-alone", None, 0))


if not second:
    leave()
if second or control:
    look()
if control:  # nothing stays on the machine
    remove()
print("found", found)
sys.exit(10 if found else 0)
