import sys

rows = [[int(part) for part in line.split()] for line in sys.stdin if line.strip()]
print(*(sum(column) for column in zip(*rows)))
