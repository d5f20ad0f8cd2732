# Puts a program into a folder that is promised to hold data only, and runs it: directly, by descriptor, as a library,
# through the loader. If it worked, the promise "noexec" in the receipt would be empty.
import ctypes
import errno
import mmap
import os
import shutil
import subprocess
import sys

place = sys.argv[1]
tool = place + "/drill-true"
reached = False
if os.environ.get("DRILL_CONTROL") and os.statvfs(place).f_flag & os.ST_NOEXEC:
    print("nothing may be executed in", place)
    sys.exit(77)
shutil.copy("/bin/true", tool)
os.chmod(tool, 0o755)
with open(place + "/drill-script", "w") as file:
    file.write("#!/bin/true\n")
os.chmod(place + "/drill-script", 0o755)


def attempt(what, action):
    global reached
    try:
        action()
        print(what, "reached")
        reached = True
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why))
    except subprocess.CalledProcessError as why:
        print(what, "ended", why.returncode)


def run(*argv, **more):
    subprocess.run(argv, check=True, capture_output=True, timeout=5, **more)


def map_as_code():
    with open(tool, "rb") as file:
        mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()


def by_descriptor():
    fd = os.open(tool, os.O_RDONLY)
    run(f"/proc/self/fd/{fd}", pass_fds=[fd])


attempt("run", lambda: run(tool))
attempt("script", lambda: run(place + "/drill-script"))
attempt("descriptor", by_descriptor)
attempt("loader", lambda: run("/lib64/ld-linux-x86-64.so.2", tool))
attempt("map", map_as_code)
attempt("library", lambda: ctypes.CDLL(tool))
attempt("hidden", lambda: os.listdir("/scratch") if not os.environ.get("DRILL_CONTROL") else os.stat("/no-such"))
os.unlink(tool)
os.unlink(place + "/drill-script")
sys.exit(10 if reached else 0)
