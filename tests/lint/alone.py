"""alone.py - what runs without the C library links to nothing of it

alone.py OBJECT...: of the objects of the build, those of *_child.c, of entry.c and of the made filter may want from
outside only each other, and what the linker itself provides. The library's start is where entry.c goes on.
"""
import subprocess
import sys
from pathlib import Path

OF_THE_LINKER = {"_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "__ehdr_start", "_start", "cli_early_start", "cli_early_end"}


def symbols(path, *options):
    output = subprocess.run(["nm", *options, path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in output.splitlines() if line.split()}


def main():
    chosen = [p for p in sys.argv[1:]
              if Path(p).name.endswith("_child.c.o") or Path(p).name in ("entry.c.o", "filter_made.c.o")]
    if not any(p.endswith("init_child.c.o") for p in chosen):
        sys.exit("alone: the objects of the cage are not among the arguments")
    defined = set().union(*(symbols(p, "--defined-only") for p in chosen))
    faults = 0
    for path in chosen:
        for name in sorted(symbols(path, "--undefined-only") - defined - OF_THE_LINKER):
            print(f"{path}: wants {name}, which is not there before the C library has started")
            faults += 1
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
