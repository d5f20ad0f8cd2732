# Looks whether its working folder, or any open descriptor, is a folder of the machine, and reads a file from there
# with relative paths. If it worked, the cage's own root would not matter: paths would start outside it.
import errno
import os
import sys

secret = sys.argv[1].lstrip("/")
reached = False


def attempt(what, action):
    global reached
    try:
        print(what, "reached", action())
        reached = True
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why.errno))


def read_at(fd, path):
    got = os.open(path, os.O_RDONLY, dir_fd=fd)
    try:
        return os.read(got, 200)
    finally:
        os.close(got)


ups = "../" * 40
attempt("climb", lambda: open(ups + secret).read())
attempt("cwd link", lambda: open("/proc/self/cwd/" + ups + secret).read())
folders = 0
for number in range(3, 1024):
    try:
        os.fstat(number)
    except OSError:
        continue
    folders += 1
    for path in ("", ups + secret):
        attempt(f"from {number} {path[-20:]}", lambda: read_at(number, path or os.path.basename(secret)))
    attempt(f"/proc/self/fd/{number}", lambda: open(f"/proc/self/fd/{number}/{ups}{secret}").read())
    attempt(f"/dev/fd/{number}", lambda: open(f"/dev/fd/{number}").read())
    attempt(f"chdir {number}", lambda: (os.fchdir(number), os.getcwd(), open(ups + secret).read()))
print(folders, "descriptors beyond the streams")
if not os.environ.get("DRILL_CONTROL"):
    here, work = os.stat("."), os.stat("/work")
    if (here.st_dev, here.st_ino) != (work.st_dev, work.st_ino) or os.getcwd() != "/work" or folders:
        print("somewhere else:", os.getcwd())
        reached = True
sys.exit(10 if reached else 0)
