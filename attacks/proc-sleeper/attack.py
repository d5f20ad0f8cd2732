# Sleeps in several ways at once: in a call, on a lock, on a pipe that nobody writes to. No processor time is used, so the
# limit that ends it must be the one on real time, and be named as that one. Bare, it shows that it outlasts the limit.
import os
import sys
import threading
import time

BARE = "DRILL_CONTROL" in os.environ
reader, writer = os.pipe()
lock = threading.Lock()
lock.acquire()
for wait in (lambda: os.read(reader, 1), lock.acquire):
    threading.Thread(target=wait, daemon=True).start()
time.sleep(0.7 if BARE else 3600)
os._exit(10)
