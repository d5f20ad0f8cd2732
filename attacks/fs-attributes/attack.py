# Sets extended attributes, access lists, kernel flags and times. If it worked, a program could mark files of the
# machine as unchangeable or executable with rights, or leave messages in them; none of which shows in their
# content.
import errno
import fcntl
import os
import struct
import sys

GETFLAGS, SETFLAGS = 0x80086601, 0x40086602
IMMUTABLE = 0x10
RIGHTS = struct.pack("<5I", 0x02000001, 2, 0, 0, 0)
ACL = struct.pack("<IHHIHHI", 2, 1, 7, 0xffffffff, 2, 7, 0)
control = os.environ.get("DRILL_CONTROL")
reached = 0


def attempt(what, action, undo=None):
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
        if undo:
            undo()
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why.errno))


def set_flag(path, flag):
    fd = os.open(path, os.O_RDONLY)
    try:
        had = struct.unpack("l", fcntl.ioctl(fd, GETFLAGS, b"\0" * 8))[0]
        fcntl.ioctl(fd, SETFLAGS, struct.pack("l", had | flag))
        fcntl.ioctl(fd, SETFLAGS, struct.pack("l", had))
    finally:
        os.close(fd)


targets = [sys.argv[1]] if control else [sys.argv[1], "/usr", "/usr/bin/env", "/etc", "/etc/passwd", "/", "/dev", "/dev/null", "/proc/self"]
for path in targets:
    for name in ("user.drill", "trusted.drill", "security.drill"):
        attempt(f"{path} {name}", lambda: os.setxattr(path, name, b"x"), lambda: os.removexattr(path, name))
    if not control:
        attempt(f"{path} access list", lambda: os.setxattr(path, "system.posix_acl_access", ACL))
        attempt(f"{path} immutable", lambda: set_flag(path, IMMUTABLE))
        attempt(f"{path} times", lambda: os.utime(path, ns=(os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns)))
        attempt(f"{path} mode", lambda: os.chmod(path, os.stat(path).st_mode))
        attempt(f"{path} owner", lambda: os.chown(path, -1, os.stat(path).st_gid))
        attempt(f"{path} owner 1000", lambda: os.lchown(path, 1000, 1000))
own = (sys.argv[2] if control else "/work") + "/mine"
with open(own, "w") as file:
    file.write("#!/bin/sh\n")
attempt("own capability", lambda: os.setxattr(own, "security.capability", RIGHTS))
attempt("own trusted", lambda: os.setxattr(own, "trusted.overlay.opaque", b"y"))
attempt("own immutable", lambda: set_flag(own, IMMUTABLE))
for owner in (0, 65534, 4294967294):
    attempt(f"own to {owner}", lambda: os.chown(own, owner, -1))
    attempt(f"own to group {owner}", lambda: os.chown(own, -1, owner))
os.unlink(own)
sys.exit(10 if reached else 0)
