# Uses more than half of its processor time, of its memory and of its scratch. In a second run, right after the first, the
# same must be there again: a counter that goes on would end it half way.
import os
import sys
import time

block = b"x" * (24 << 20)
with open("/work/half", "wb") as file:
    file.write(block[:4 << 20])
while time.process_time() < 0.3 * int(sys.argv[1]):
    pass
print("done", len(block) >> 20, os.path.getsize("/work/half") >> 20)
sys.exit(0)
