# Prints from eight processes, with write, sendfile and splice, ignoring that anybody would stop it. If it worked, the
# supervisor's memory or disk would fill with it.
import os
import signal
import sys

signal.signal(signal.SIGPIPE, signal.SIG_IGN)
BLOCK = b"flood " * 10000
with open("/work/flood", "wb") as file:
    file.write(BLOCK)
fd = os.open("/work/flood", os.O_RDONLY)
lead, follow = os.pipe()


def write():
    return os.write(1, BLOCK)


def sendfile():
    return os.sendfile(1, fd, 0, len(BLOCK))


def splice():
    os.write(follow, BLOCK[:4096])
    return os.splice(lead, 1, 4096)


for way in (write, sendfile, splice):
    if way() <= 0:
        sys.exit(1)
for number in range(8):
    if os.fork() == 0:
        os.setsid()
        way = (write, sendfile, splice)[number % 3]
        if number == 7:
            sys.stdout.close()
        while True:
            try:
                way()
            except OSError:
                os._exit(0)
while True:
    write()
