# Each of 40 children takes 2 MiB of its own, and every one asks to be spared when memory is short. None is large; together
# they are. The kernel ends one of them, not the parent: the run must still end, by the limit on memory, and nothing else
# on the machine may be chosen in its place. Bare, 32 children do the same.
import os
import sys
import time

BARE = "DRILL_CONTROL" in os.environ
children, report = [], os.pipe()
for _ in range(32 if BARE else 40):
    child = os.fork()
    if child == 0:
        try:
            with open("/proc/self/oom_score_adj", "w") as score:
                score.write("-1000")
        except OSError:
            pass
        block = bytearray(b"x" * (2 << 20))
        os.write(report[1], b".")
        time.sleep(5)
        os._exit(len(block) == 0)
    children.append(child)
arrived = 0
while arrived < len(children):
    arrived += len(os.read(report[0], 64))
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
print(arrived, "children had their memory")
sys.exit(10)
