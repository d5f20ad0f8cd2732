# Looks for a process of the host, reads its environment and stops it. Any of it would mean that the guest sees the
# host's processes.
import os
import signal
import sys

pid, reached = int(sys.argv[1]), False
try:
    os.kill(pid, signal.SIGSTOP)
    print("stopped", pid)
    reached = True
except OSError as why:
    print("kill %d: %s" % (pid, why.strerror))
try:
    with open("/proc/%d/environ" % pid) as file:
        print("environ:", file.read())
    reached = True
except OSError as why:
    print("environ of %d: %s" % (pid, why.strerror))
sys.exit(10 if reached else 0)
