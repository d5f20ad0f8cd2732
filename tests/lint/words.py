"""words.py - nothing unfinished, no path of one machine, no words about how the project came to be"""
import re

from common import Faults, files, root

RULES = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "is unfinished business"),
    (re.compile(r"/work/(main|shared|\.\w+)|/tmp/build\b|/home/\w+/"), "is a path of one machine"),
    (re.compile(r"\b(agent|helper|subagent)s?\b", re.I), "is not a word of this project"),
    (re.compile(r"https?://(?!(127\.0\.0\.1|localhost|www\.w3\.org/2000/svg|\[::1\]|[\w.-]*example(\.com|\.org|\.net)?)\b)[\w.-]+"),
     "is a host that nothing here needs"),
]
FOLDERS = ["src", "include", "tests", "docs", "examples", "scripts", "bench", "cmake", "runtimes", "profiles", ".ci"]
OWN = "tests/lint/"  # names what it looks for


def main():
    top = root()
    faults = Faults(top)
    paths = [path for path in top.iterdir() if path.is_file() and path.name != ".git"]  # one in a work tree of its own
    for folder in FOLDERS:
        if (top / folder).is_dir():
            paths += files(top / folder, "*")
    for path in sorted(paths):
        if str(path.relative_to(top)).startswith(OWN):
            continue
        faults.looked_at += 1
        for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
            for pattern, why in RULES:
                match = pattern.search(line)
                if match:
                    faults.add(path, number, f"{match.group()} {why}")
    faults.end()


main()
