# Reads variables and memory of other processes: of one outside, of its parents, of process 1. If it worked, a
# secret of any process with the same user would be open to a program, and whoever signs its receipt could be robbed
# of the key.
import ctypes
import errno
import os
import sys

victim = int(sys.argv[1])
control = os.environ.get("DRILL_CONTROL")
libc = ctypes.CDLL(None, use_errno=True)
reached = 0


def found(what, data):
    global reached
    print(what, "reached", len(data), "bytes", data[:4000] if control else b"")
    reached += 1


def attempt(path):
    try:
        with open(path, "rb") as file:
            data = file.read(65536)
        if data:
            found(path, data)
    except OSError as why:
        return errno.errorcode.get(why.errno)
    return "empty"


def other_memory(pid):
    buffer = ctypes.create_string_buffer(64)
    iov = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 64)
    far = (ctypes.c_ulong * 2)(0x400000, 64)
    if libc.process_vm_readv(pid, iov, 1, far, 1, 0) > 0:
        found(f"memory of {pid}", buffer.raw)
    return errno.errorcode.get(ctypes.get_errno())


answers = {}
pids = [victim] if control else [victim, 1, os.getppid()] + list(range(2, 300))
for pid in pids:
    if pid == os.getpid() or pid == 0:
        continue
    for name in ("environ", "task/%d/environ" % pid, "auxv", "cmdline", "maps", "stack", "mem", "fd/0", "fdinfo/0", "status"):
        why = attempt(f"/proc/{pid}/{name}")
        answers[why] = answers.get(why, 0) + 1
if not control:
    for pid in (victim, 1):
        print("memory of", pid, other_memory(pid))
print(answers)
sys.exit(10 if reached else 0)
