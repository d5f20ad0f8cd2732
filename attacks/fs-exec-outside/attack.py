# Runs a program by a path on the machine: directly, through its loader, through a link, as the interpreter of a script.
# If it worked, tools that were left out of the cage on purpose could be used in it.
import errno
import os
import shutil
import subprocess
import sys

place, secret = sys.argv[1], sys.argv[2]
control = os.environ.get("DRILL_CONTROL")
tool = place + "/tool"
own = place if control else "/work"
reached = False
if control:
    shutil.copy("/usr/bin/head", tool)
    os.chmod(tool, 0o755)


def attempt(what, *argv):
    global reached
    try:
        run = subprocess.run(argv, capture_output=True, timeout=5, env={"PATH": "/bin"})
        print(what, "ended", run.returncode, run.stdout)
        reached = reached or run.returncode == 0
    except OSError as why:
        print(what, errno.errorcode.get(why.errno))


os.symlink(tool, own + "/linked")
with open(own + "/script", "w") as file:
    file.write(f"#!{tool} -c9\n")
os.chmod(own + "/script", 0o755)
for path in (tool, "/proc/self/root" + tool, own + "/linked"):
    attempt(path, path, "-c", "99", secret)
    attempt("loader " + path, "/lib64/ld-linux-x86-64.so.2", path, "-c", "99", secret)
attempt("script", own + "/script", secret)
for name in (own + "/linked", own + "/script", tool):
    if os.path.lexists(name):
        os.unlink(name)
if not control:
    for path in ("/sbin/../../bin/head", "/snap/bin/x", "/opt/bin/x", "/proc/1/exe", "/scratch/work/attack.py"):
        if path.startswith(("/proc", "/scratch", "/opt", "/snap")):
            attempt(path, path)
sys.exit(10 if reached else 0)
