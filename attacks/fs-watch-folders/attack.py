# Asks to be told of every reading, making and removing in shared folders: by the old way, a request on an open folder, and
# by the newer calls. If it worked, a program would learn which tools other programs and the machine itself use, and when.
import ctypes
import errno
import fcntl
import os
import signal
import sys

F_NOTIFY = 1026
ALL = 0x3f - (1 << 31)  # access, modify, create, delete, rename, attributes; not only once
libc = ctypes.CDLL(None, use_errno=True)
reached = 0
signal.signal(signal.SIGIO, signal.SIG_IGN)


def attempt(what, action):
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
    except OSError as why:
        print(what, errno.errorcode.get(why.errno))


def notify(folder):
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.fcntl(fd, F_NOTIFY, ALL)
    finally:
        os.close(fd)


def raw(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")


if os.environ.get("DRILL_CONTROL"):
    attempt("folder", lambda: notify(sys.argv[1]))
    if not reached:
        print("this kernel does not tell of folders that way")
    sys.exit(10 if reached else 77)
for folder in ("/usr", "/usr/bin", "/usr/lib", "/usr/local", "/etc", "/etc/alternatives", "/dev", "/proc", "/"):
    attempt(folder, lambda: notify(folder))
for name, number, arguments in (("inotify", 253, ()), ("inotify with flags", 294, (0,)), ("fanotify", 300, (0, 0)),
                                ("fanotify by name", 300, (0x600, 0))):
    if os.uname().machine == "x86_64":
        attempt(name, lambda: raw(number, *arguments))
for path in ("/usr/bin/env", "/usr/bin/python3"):
    fd = os.open(path, os.O_RDONLY)
    for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK):
        attempt(f"lease of {path}", lambda: fcntl.fcntl(fd, fcntl.F_SETLEASE, kind))
sys.exit(10 if reached else 0)
