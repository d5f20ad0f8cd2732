"""common.py - what the checks of the source share: files, C without comments, faults

A check is a script that is given the folder of the project. It prints one line a fault, "FILE:LINE: WHAT", and ends
with 0, with 1 when there are faults, or with 77 when it cannot look.
"""
import pathlib
import re
import sys

SKIPPED = 77


def root():
    return pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]


def files(top, *patterns):
    """All files below @top that match, but none that a build or a run made."""
    found = set()
    for pattern in patterns:
        found.update(path for path in top.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return sorted(found)


def room_of(path, top):
    """"cage" for src/cage/plan.c, "front/cli" for src/front/cli/run.c; what lies deeper belongs to its room."""
    parts = path.relative_to(top / "src").parts
    return "/".join(parts[:2]) if parts[0] == "front" else parts[0]


TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def code_of(text):
    """C with comments and the insides of literals blanked; every line stays where it is."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group()) if match.group()[0] == "/" else match.group()[0] + " " * (
            len(match.group()) - 2) + match.group()[-1]
    return TOKENS.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Faults:
    def __init__(self, top):
        self.top, self.count, self.looked_at = top, 0, 0

    def add(self, path, line, what):
        print(f"{path.relative_to(self.top)}:{line}: {what}")
        self.count += 1

    def end(self):
        """A check that has looked at nothing has found nothing: that is a fault too."""
        if self.looked_at == 0:
            print("nothing was there to look at")
        print(f"{self.looked_at} looked at, {self.count} faults")
        sys.exit(1 if self.count or self.looked_at == 0 else 0)
