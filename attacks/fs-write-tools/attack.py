# Makes, moves and opens for writing in the folders of languages and settings. If it worked, a program could change
# the interpreter, or a module, that the next cage and the machine itself will use. It changes no byte of what is
# there.
import errno
import os
import stat
import sys

control = os.environ.get("DRILL_CONTROL")
tops = [sys.argv[1]] if control else ["/", "/usr", "/etc", "/dev", "/proc", "/bin", "/sbin", "/lib", "/lib64", "/scratch"]
own = sys.argv[1] if control else "/work"
counts, reached = {}, 0


def attempt(what, action, undo=None, only=None):
    """@only: the one answer that will do, since any other means that something weaker refused first."""
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
        if undo:
            undo()
    except OSError as why:
        name = errno.errorcode.get(why.errno, why.errno)
        counts[name] = counts.get(name, 0) + 1
        if only and why.errno != only:
            print(what, "reached: it is not read-only, refused by", name)
            reached += 1


folders = list(tops)
if not control:
    for top in ("/usr/bin", "/usr/lib", "/usr/local", "/usr/lib/python3", "/usr/lib/x86_64-linux-gnu", "/usr/share"):
        for where, inner, files in os.walk(top):
            folders.append(where)
            for name in files[:2]:
                path = os.path.join(where, name)
                try:
                    regular = stat.S_ISREG(os.lstat(path).st_mode)
                except OSError:
                    continue
                if regular:
                    attempt("open " + path, lambda: os.close(os.open(path, os.O_WRONLY | os.O_APPEND)))
            if len(folders) > 300:
                break
            inner[:] = inner[:10]
for folder in folders:
    new = folder + "/drill-new"
    attempt("make " + new, lambda: os.close(os.open(new, os.O_CREAT | os.O_EXCL)), lambda: os.unlink(new))
    attempt("folder " + new, lambda: os.mkdir(new), lambda: os.rmdir(new),
            None if control or folder in ("/proc", "/scratch") else errno.EROFS)
    attempt("link " + new, lambda: os.symlink("/", new), lambda: os.unlink(new))
    attempt("move to " + new, lambda: (open(own + "/mine", "w").close(), os.rename(own + "/mine", new)), lambda: os.unlink(new))
    attempt("no name in " + folder, lambda: os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR)))
if os.path.lexists(own + "/mine"):
    os.unlink(own + "/mine")
for path in [] if control else ["/etc/passwd", "/etc/hosts", "/etc/ld.so.cache", "/etc/nsswitch.conf", "/etc/ld.so.preload"]:
    attempt("write " + path, lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT)))
print(len(folders), "folders", counts)
sys.exit(10 if reached else 0)
