"""format.py - clang-format has nothing to change

Releases differ in their taste; what counts is that of Debian 12.
"""
import re
import shutil
import subprocess
import sys

from common import SKIPPED, Faults, files, root

RELEASE = "14"


def find():
    for name in (f"clang-format-{RELEASE}", "clang-format"):
        path = shutil.which(name)
        if path:
            version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(rf"version {RELEASE}\.", version):
                return path
    return None


def main():
    top = root()
    faults, tool = Faults(top), find()
    if not tool:
        print(f"SKIPPED: clang-format {RELEASE} is not here: the format was not checked")
        sys.exit(SKIPPED)
    paths = files(top / "src", "*.c", "*.h") + files(top / "include", "*.h") + files(top / "examples", "*.c") + files(top / "tests", "*.c", "*.h")
    faults.looked_at = len(paths)
    result = subprocess.run([tool, "--dry-run", "-Werror", "--style=file", *map(str, paths)], capture_output=True,
                            text=True, check=False, cwd=top)
    lines = {}
    for name, line in re.findall(r"^(\S.*?):(\d+):\d+: error:", result.stderr, re.M):
        lines.setdefault(name, []).append(int(line))
    for path in paths:
        if str(path) in lines:
            faults.add(path, lines[str(path)][0], f"{len(lines[str(path)])} places differ: run clang-format -i")
    if result.returncode and not lines:
        print(result.stderr)
        faults.count += 1
    faults.end()


main()
