# Holds the program file of a running process by /proc/PID/exe and opens it for writing as soon as the process has
# ended. If it worked, the next use of the interpreter, or of the supervisor itself, would run the guest's code.
import errno
import os
import shutil
import subprocess
import sys
import time

control = os.environ.get("DRILL_CONTROL")
reached = False


def attempt(what, action):
    global reached
    try:
        os.close(action())
        print(what, "reached")
        reached = True
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why.errno))


def open_when_free(path):
    """Who looks at the process just then, in /proc, holds its program for a moment after its end."""
    for _ in range(100):
        try:
            return os.open(path, os.O_WRONLY | os.O_APPEND)
        except OSError as why:
            if why.errno != errno.ETXTBSY:
                raise
            time.sleep(0.02)
    return os.open(path, os.O_WRONLY | os.O_APPEND)


def after_end(what, argv):
    """The classic way: held without opening while it runs, opened through the descriptor when nothing runs it."""
    child = subprocess.Popen(argv)
    time.sleep(0.05)
    held = os.open(f"/proc/{child.pid}/exe", os.O_PATH)
    attempt(what + " while it runs", lambda: os.open(f"/proc/self/fd/{held}", os.O_WRONLY))
    child.kill()
    child.wait()
    attempt(what + " afterwards", lambda: open_when_free(f"/proc/self/fd/{held}"))
    os.close(held)


if control:
    tool = sys.argv[1] + "/launcher"
    shutil.copy("/bin/sleep", tool)
    after_end("copy", [tool, "5"])
    os.unlink(tool)
    sys.exit(10 if reached else 0)

after_end("sleep", ["/bin/sleep", "5"])
script = "/work/self"
with open(script, "w") as file:
    file.write("#!/proc/self/exe\n")
os.chmod(script, 0o755)
attempt("script of itself", lambda: (subprocess.run([script], capture_output=True, timeout=5),
                                     os.open("/proc/self/exe", os.O_RDWR))[1])
for pid in [p for p in os.listdir("/proc") if p.isdigit()] + ["1", "self", "thread-self"]:
    for mode in (os.O_WRONLY, os.O_RDWR | os.O_APPEND):
        attempt(f"/proc/{pid}/exe", lambda: os.open(f"/proc/{pid}/exe", mode))
attempt("process 1", lambda: os.open("/proc/1/exe", os.O_RDONLY))
attempt("process 1 held", lambda: os.open(os.readlink("/proc/1/exe"), os.O_PATH))
sys.exit(10 if reached else 0)
