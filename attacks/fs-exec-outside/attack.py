# Runs a program by a path on the machine that is none of its own: directly, through its loader, through a link, as
# the interpreter of a script. It puts the program there itself where it can. If it worked, tools that were left out
# of the cage on purpose could be used in it.
import errno
import os
import shutil
import subprocess
import sys

place, here = sys.argv[1:3]
own = here if os.environ.get("DRILL_CONTROL") else "/work"
tool = place + "/tool"
reached = False
if os.environ.get("DRILL_CONTROL") and os.statvfs(here).f_flag & os.ST_NOEXEC:
    print("nothing may be executed in", here)
    sys.exit(77)


def attempt(what, *argv):
    global reached
    try:
        run = subprocess.run(argv, capture_output=True, timeout=5, env={"PATH": "/bin"})
        print(what, "ended", run.returncode, run.stdout)
        reached = reached or run.returncode == 0
    except OSError as why:
        print(what, errno.errorcode.get(why.errno))


try:
    shutil.copy("/usr/bin/head", tool)
    os.chmod(tool, 0o755)
except OSError as why:
    print("copy", errno.errorcode.get(why.errno))
os.symlink(tool, own + "/linked")
with open(own + "/script", "w") as file:
    file.write(f"#!{tool} -c9\n")
os.chmod(own + "/script", 0o755)
for path in (tool, "/proc/self/root" + tool, own + "/linked"):
    attempt(path, path, "-c", "9", "/usr/bin/head")
    attempt("loader " + path, "/lib64/ld-linux-x86-64.so.2", path, "-c", "9", "/usr/bin/head")
attempt("script", own + "/script")
if not os.environ.get("DRILL_CONTROL"):
    for path in ("/opt/tool", "/snap/bin/tool", "/root/tool", "/proc/1/exe", "/scratch/work/attack.py", "/tmp/../opt/tool"):
        attempt(path, path)
for name in (own + "/linked", own + "/script", tool):
    if os.path.lexists(name):
        os.unlink(name)
sys.exit(10 if reached else 0)
