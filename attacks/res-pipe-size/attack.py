# Asks for pipes beyond the size that users are granted, in one step and by doubling. Root may go further: one that gets
# there has a right that it should not have. Bare, as root, a pipe of 2 MiB is had and closed.
import fcntl
import os
import sys

SET_SIZE, GRANTED = 1031, 1 << 20
reader, writer = os.pipe()
largest = 0
for size in [GRANTED * 2, GRANTED * 64, (1 << 31) - 1] + [1 << power for power in range(16, 22)]:
    try:
        largest = max(largest, fcntl.fcntl(writer, SET_SIZE, size))
        if "DRILL_CONTROL" in os.environ and largest > GRANTED:
            break
    except OSError as error:
        print(f"{size}: {error.strerror}")
print("largest", largest)
if "DRILL_CONTROL" in os.environ and largest <= GRANTED:
    print("root may not have larger pipes on this machine")
    sys.exit(77)
sys.exit(10 if largest > GRANTED else 0)
