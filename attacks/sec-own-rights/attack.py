# Looks into every set of capabilities that it has, for itself and for a program that it starts. With one it could do
# what only the builder of the cage may.
import subprocess
import sys

reached = 0


def look(whose, text):
    global reached
    for line in text.splitlines():
        if line.startswith("Cap"):
            name, value = line.split()
            print(whose, name, value)
            if name != "CapBnd:" and int(value, 16):
                reached += 1


look("own", open("/proc/self/status").read())
look("child's", subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True).stdout)
sys.exit(10 if reached else 0)
