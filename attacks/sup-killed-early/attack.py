# Keeps its supervisor busy on all channels at the moment when that is killed: output without end, denied calls that
# wait for an answer, processes that come and go. None of them may wait for an answer for ever.
import os
import socket
import sys
import threading
import time


def deny():
    while True:
        try:
            socket.socket(socket.AF_INET)
        except OSError:
            pass
        time.sleep(0.001)


try:
    socket.socket(socket.AF_INET)
    sys.exit(1)
except PermissionError:
    pass
for number in range(6):
    if os.fork() == 0:
        os.setsid()
        for _ in range(2):
            threading.Thread(target=deny, daemon=True).start()
        while True:
            if number % 2:
                os.write(1 + number % 3 // 2, b"busy " * 100)
            elif os.fork() == 0:
                time.sleep(0.01)
                os._exit(0)
            else:
                os.wait()
            time.sleep(0.002)
deny()
