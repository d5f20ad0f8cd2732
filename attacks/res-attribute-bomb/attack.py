# Gives files attributes of 4 KiB and more, thousands of them. They are kept in the kernel's memory and are not part of any
# file's size. More than 4 MiB of them must not fit into a scratch of 4 MiB. Bare, it shows that such attributes exist.
import os
import sys

BARE = "DRILL_CONTROL" in os.environ
total = 0
for number in range(8):
    path = os.path.join("/tmp" if not BARE else ".", f"attributes{number}")
    try:
        open(path, "w").close()
        for attribute in range(2 if BARE else 1000):
            os.setxattr(path, f"user.a{attribute:05}", b"v" * 4000)
            total += 4000
    except OSError as error:
        print(f"{path}: {error.strerror}")
    if BARE and os.path.exists(path):
        os.unlink(path)
print(total, "bytes in attributes")
if BARE and not total:
    print("this folder's file system has no attributes")
    sys.exit(77)
sys.exit(10 if total > 4 << 20 or (BARE and total) else 0)
