# wrong: sums the rows
import sys

print(*(sum(map(int, line.split())) for line in sys.stdin))
