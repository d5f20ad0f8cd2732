# Makes files, removes them while they are open, and writes 1 MiB to each; then the same with files that never had a name.
# What a look through folders counts is nothing; what is used is all. Bare, it does so with 12 MiB in its own folder.
import os
import sys
import time

held = []
for number in range(6):
    name = f"hidden{number}"
    fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(name)
    held.append(fd)
for _ in range(6):
    try:
        held.append(os.open(".", os.O_RDWR | os.O_TMPFILE, 0o600))
    except OSError as error:
        print("without a name:", error.strerror)
for fd in held:
    try:
        for _ in range(16):
            os.write(fd, b"x" * 65536)
    except OSError as error:
        print("full:", error.strerror)
        time.sleep(0.15)  # what is hidden is gone with its holder: full is what it must be seen to be before
        sys.exit(1)
sys.exit(10)
