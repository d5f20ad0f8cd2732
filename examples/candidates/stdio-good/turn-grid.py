import sys

for column in zip(*reversed(sys.stdin.read().split())):
    print("".join(column))
