# Looks whether its arguments came as they were given, and were looked at by nobody. If a shell had seen them,
# commands in them would have run on the machine; bare, it has a shell do just that.
import os
import subprocess
import sys

args = sys.argv[1:]
if os.environ.get("DRILL_CONTROL"):
    subprocess.run("echo " + args[0], shell=True, check=False, stdout=subprocess.DEVNULL)
    folder = args[0].split()[1].rsplit("/", 1)[0]
    sys.exit(10 if os.listdir(folder) else 0)
LAST = ["--json", "--", "-c", "a\nb: \"c\"\\", "", "*", "%s%n", "\u202e\x1b[2J"]
print(len(args), "arguments")
if args[3:] != LAST or not args[0].startswith("$(touch /") or not args[1].startswith("`touch /") or not args[2].startswith("; touch /"):
    print("changed:", args)
    sys.exit(1)
raw = open("/proc/self/cmdline", "rb").read().split(b"\0")[:-1]
if raw[-8:] != [text.encode() for text in LAST]:
    print("changed:", raw)
    sys.exit(1)
sys.exit(0)
