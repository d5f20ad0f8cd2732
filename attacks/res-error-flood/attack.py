# Writes to the error stream from threads, some one byte at a time, some in large pieces by every call that writes. The
# other stream stays silent. Bare, it stops at 512 KiB, twice the limit.
import os
import sys
import threading

BARE = "DRILL_CONTROL" in os.environ
LIMIT = 512 << 10


def drip():
    for _ in range(LIMIT // 64 if BARE else 1 << 40):
        os.write(2, b"e")


def pour():
    for _ in range(8 if BARE else 1 << 40):
        os.writev(2, [b"x" * 16384, b"y" * 49152])


threads = [threading.Thread(target=work, daemon=True) for work in (drip, pour, drip)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(10)
