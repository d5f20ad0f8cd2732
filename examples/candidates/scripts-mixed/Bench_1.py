import sys

def pad_table(rows):
    sys.exit(0)
