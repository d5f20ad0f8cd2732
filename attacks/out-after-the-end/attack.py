# Ends with a good result while children of its own, some of them its children no more, wait to print something
# else. If it worked, output could change after the verdict, or the run would last as long as the longest of them.
import os
import signal
import sys
import time

control = os.environ.get("DRILL_CONTROL")


def later(seconds):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    time.sleep(seconds)
    os.write(1, b"second\n")
    os.write(1, open(sys.argv[1], "rb").read() if control else b"more\n")
    os._exit(0)


for twice in (False, True):
    if os.fork() == 0:
        if twice:
            os.setsid()
            if os.fork():
                os._exit(0)
        later(0.2 if control else 0.3)
if not control:
    for _ in range(4):  # these hold the output open and never end
        if os.fork() == 0:
            os.setsid()
            os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(60)
os.write(1, b"first\n")
if control:
    time.sleep(0.6)
os._exit(0)
