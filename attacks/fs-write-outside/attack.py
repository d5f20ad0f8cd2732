# Changes a file and a folder of the machine in all the ways there are: content, name, mode, times, links, nodes. If
# it worked, a program could plant start-up files and hooks that later run with the rights of its starter.
import errno
import os
import socket
import sys

file, folder, place = sys.argv[1:4]
own = place if os.environ.get("DRILL_CONTROL") else "/work"
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


def fresh():
    with open(own + "/mine", "w") as out:
        out.write("mine")
    return own + "/mine"


def bind(path):
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(os.path.dirname(path))
        s.bind(os.path.basename(path))


for prefix in ("", "/proc/self/root", "/proc/self/cwd/../../../../../../..", "/usr/../.."):
    f, d = prefix + file, prefix + folder
    attempt(f"{prefix} append", lambda: open(f, "ab").close())
    attempt(f"{prefix} mode", lambda: os.chmod(f, 0o600), lambda: os.chmod(f, 0o666))
    attempt(f"{prefix} owner", lambda: os.chown(f, os.getuid(), os.getgid()))
    attempt(f"{prefix} times", lambda: os.utime(f, (1, 1)))
    attempt(f"{prefix} attribute", lambda: os.setxattr(f, "user.drill", b"x"), lambda: os.removexattr(f, "user.drill"))
    attempt(f"{prefix} rename", lambda: os.rename(f, d + "/moved"), lambda: os.rename(d + "/moved", f))
    for name in (".bashrc", ".profile", ".gitconfig", ".envrc", ".git", "authorized_keys"):
        attempt(f"{prefix} make {name}", lambda: os.close(os.open(f"{d}/{name}", os.O_CREAT | os.O_EXCL)), lambda: os.unlink(f"{d}/{name}"))
    attempt(f"{prefix} move in", lambda: os.rename(fresh(), d + "/mine"), lambda: os.unlink(d + "/mine"))
    attempt(f"{prefix} link in", lambda: os.link(fresh(), d + "/second"), lambda: os.unlink(d + "/second"))
    attempt(f"{prefix} symbolic link", lambda: os.symlink("/", d + "/up"), lambda: os.unlink(d + "/up"))
    attempt(f"{prefix} folder", lambda: os.mkdir(d + "/.git"), lambda: os.rmdir(d + "/.git"))
    attempt(f"{prefix} pipe", lambda: os.mkfifo(d + "/pipe"), lambda: os.unlink(d + "/pipe"))
    attempt(f"{prefix} socket", lambda: bind(d + "/sock"), lambda: os.unlink(d + "/sock"))
    attempt(f"{prefix} no name", lambda: os.close(os.open(d, os.O_TMPFILE | os.O_WRONLY)))
    attempt(f"{prefix} folder mode", lambda: os.chmod(d, 0o755), lambda: os.chmod(d, 0o777))
if os.path.lexists(own + "/mine"):
    os.unlink(own + "/mine")
sys.exit(10 if reached else 0)
