# Touches 48 MiB. Getting them under a limit of 32 MiB would mean that memory is not bounded.
import sys

held = []
for n in range(48):
    held.append(b"x" * (1 << 20))
print("got", len(held), "MiB")
sys.exit(10)
