import collections
import sys

counts = collections.Counter(int(line) for line in sys.stdin)
for number in sorted(counts):
    if counts[number] % 2:
        print(number)
