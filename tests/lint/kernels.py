"""kernels.py - docs/kernels.md has the tables that the source has, made anew from it

kernels.py TOP         compare
kernels.py TOP write   write the tables into the page, between its marks
"""
import re
import sys

from common import Faults, line_of, root

PAGE = "docs/kernels.md"
STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Kernels that people have, and where.
KERNELS = [("5.15", "Ubuntu 22.04"), ("6.1", "Debian 12"), ("6.6", ""), ("6.8", "Ubuntu 24.04"), ("6.12", "Debian 13"),
           ("6.14", ""), ("6.18", "")]
NO = "–"


def rows(path, word):
    """The texts of each row of a table of the source."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return [STRINGS.findall(row) for row in re.findall(rf"^{word}\((.*)\)$", text, re.M)]


def version(text):
    return tuple(int(part) for part in text.split("."))


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(cells):
    return line(cells[0]) + line(["---"] * len(cells[0])) + "".join(line(row) for row in cells[1:])


def of_kernels(features, landlock):
    head = ["", "since"] + ["<br>".join(filter(None, kernel)) for kernel in KERNELS]
    abi = ["Landlock ABI", landlock[0][1]]
    for kernel, _ in KERNELS:
        abi.append(str(sum(version(since) <= version(kernel) for _, since, _, _ in landlock) or NO))
    body = [[word, since] + ["yes" if version(since) <= version(kernel) else NO for kernel, _ in KERNELS]
            for word, since, _, _ in features]
    return table([head, abi] + body)


def of_features(features):
    return table([["", "since", "what for", "before"]] + [
        [word, since, purpose, before or "no cage is made"] for word, since, purpose, before in features])


def of_landlock(landlock):
    return table([["ABI", "since", "adds to the second wall", "before"]] + [
        [str(abi), since, adds, before] for abi, (_, since, adds, before) in enumerate(landlock, 1)])


def main():
    top = root()
    faults = Faults(top)
    features, landlock = rows(top / "src/cage/kernels.def", "FEATURE"), rows(top / "src/cage/landlock.def", "LANDLOCK")
    path = top / PAGE
    text = old = path.read_text()
    for name, made in (("kernels", of_kernels(features, landlock)), ("features", of_features(features)),
                       ("landlock", of_landlock(landlock))):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        faults.looked_at += 1
        if begin not in text or end not in text:
            faults.add(path, 1, f"has no table {name}")
            continue
        start = text.index(begin) + len(begin)
        text = text[:start] + made + text[text.index(end):]
        if text != old and "write" not in sys.argv[2:]:
            faults.add(path, line_of(old, start), f"the table {name} is not the source's: tests/lint/kernels.py . write")
            text = old
    if "write" in sys.argv[2:]:
        path.write_text(text)
    faults.end()


main()
