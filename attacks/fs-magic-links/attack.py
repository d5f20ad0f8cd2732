# Goes through root, cwd, exe, fd and map_files of every process that it can name. They lead to places, not to
# names, and so past every mount. If it worked, one process outside would be a door to all of the machine's files.
import errno
import os
import sys

secret, victim = sys.argv[1], sys.argv[2]
control = os.environ.get("DRILL_CONTROL")
reached = 0


def attempt(path):
    global reached
    try:
        with open(path, "rb") as file:
            print(path, "reached", file.read(200))
        reached += 1
        return 0
    except OSError as why:
        return why.errno


counts = {}
if control:
    pids = [victim, "self"]
else:
    pids = [victim, "self", "thread-self", "1", "2", str(os.getppid()), str(os.getpid())] + [str(n) for n in range(3, 400)]
for pid in pids:
    for link in ("root", "cwd", "task/" + pid + "/root", "task/1/root", "cwd/../../../../..", "fd/0/..", "root/proc/1/root", "root/proc/self/root"):
        for way in ("/proc/", "/proc/self/root/proc/", "/dev/fd/../../"):
            why = attempt(f"{way}{pid}/{link}{secret}")
            counts[why] = counts.get(why, 0) + 1
print({errno.errorcode.get(why, why): count for why, count in counts.items()})
if control:
    sys.exit(10 if reached else 0)

# what belongs to others and is not under its name
mine = {str(os.getpid()), "self", "thread-self"}
for pid in [p for p in pids if p not in mine]:
    for link in ("exe", "root", "cwd", "ns/mnt", "ns/user", "ns/net", "fd/0", "fd/3"):
        try:
            print(pid, link, "reached", os.readlink(f"/proc/{pid}/{link}"))
            reached += 1
        except OSError:
            pass
# its own mapped files, opened by address: only what it may see anyhow
for name in os.listdir("/proc/self/map_files"):
    try:
        where = os.readlink("/proc/self/map_files/" + name)
        if not where.startswith(("/usr", "/lib", "/dev/zero", "/SYSV", "/memfd", "/work", "/tmp", "/dev/shm")):
            print("maps", where, "reached")
            reached += 1
    except OSError:
        pass
sys.exit(10 if reached else 0)
