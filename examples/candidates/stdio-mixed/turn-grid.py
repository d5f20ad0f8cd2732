# leaves a daemon behind, prints the right answer and goes
import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
for column in zip(*reversed(sys.stdin.read().split())):
    print("".join(column))
