"""headers.py - every function in a header of src/ or include/ has a comment above it or above its group, and its room's prefix

The banner speaks for the group that follows it at once. ..._close, _free and _release need no comment: they take what
was opened, made or filled, also half of it or nothing.
"""
import re

from common import Faults, code_of, files, room_of, root

PROTOTYPE = re.compile(r"^(?!typedef\b|static\b|return\b|#)[A-Za-z_][\w\s*]*?\b(?!__attribute__)(\w+)\((?!\*)")
LINKED_AS = re.compile(r'__asm__\("(\w+)"\)')  # what the linker sees is the name
PLAIN = re.compile(r"_(close|free|release)$")


def groups(text):
    """(number of the first line, lines) of what stands between blank lines."""
    first, lines = 1, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.strip():
            if not lines:
                first = number
            lines.append(line)
        elif lines:
            yield first, lines
            lines = []


def check(path, prefix, faults):
    text = path.read_text()
    code, depth, previous = code_of(text).split("\n"), 0, ""
    for first, lines in groups(text):
        commented = previous == "#pragma once"
        previous = lines[-1].strip()
        for number, line in enumerate(lines, first):
            bare = code[number - 1]
            commented = commented or "/*" in line or "*/" in line
            match = PROTOTYPE.match(bare) if depth == 0 else None
            if match and "{" not in bare and "=" not in bare:
                faults.looked_at += 1
                if not commented and not PLAIN.search(match.group(1)):
                    faults.add(path, number, f"{match.group(1)} has no comment above it or its group")
                linked = LINKED_AS.search(line)
                if not (linked or match).group(1).startswith(prefix + "_"):
                    faults.add(path, number, f"{match.group(1)} does not begin with {prefix}_")
            depth += bare.count("{") - bare.count("}")


def main():
    top = root()
    faults = Faults(top)
    for path in files(top / "src", "*.h"):
        check(path, room_of(path, top).rpartition("/")[2], faults)
    for path in files(top / "include", "*.h"):
        check(path, "fumehood", faults)
    faults.end()


main()
