"""banner.py - every C file begins with its own name and what it is for"""
from common import Faults, files, root


def main():
    top = root()
    faults = Faults(top)
    for path in files(top / "src", "*.c", "*.h") + files(top / "tests", "*.c", "*.h"):
        faults.looked_at += 1
        text = path.read_text()
        if not text.startswith(f"/* {path.name} - "):
            faults.add(path, 1, f'does not begin with "/* {path.name} - "')
        elif path.suffix == ".h" and "\n#pragma once\n" not in text:
            faults.add(path, 1, "a header without #pragma once")
    faults.end()


main()
