# Forks until it is refused, thirty times at most. That many children would mean that nothing bounds them.
import os
import signal
import sys
import time

children = []
try:
    for n in range(30):
        pid = os.fork()
        if pid == 0:
            time.sleep(5)
            os._exit(0)
        children.append(pid)
except OSError as why:
    print("fork %d: %s" % (len(children), why.strerror))
for pid in children:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
sys.exit(10 if len(children) == 30 else 0)
