"""report.py NAME STATUS XML - turn the lines of a virtual machine ("ok ...", "not ok ...", "skip ...") into JUnit results

What a line says after the name of its test and ": " is the reason. Status 77 says that something is missing here: then the
whole is one skip, with the reason from the last line.
"""
import sys
import xml.etree.ElementTree as tree

SKIPPED, BROKEN = 77, "the virtual machine gave no results"
KINDS = {"ok ": None, "not ok ": "failure", "skip ": "skipped"}


def add(suite, name, kind=None, message=""):
    case = tree.SubElement(suite, "testcase", classname=suite.get("name"), name=name)
    if kind:
        tree.SubElement(case, kind, message=message)


def add_line(suite, line):
    for start, kind in KINDS.items():
        if line.startswith(start):
            add(suite, line[len(start):], kind, "see the log")
            return True
    return False


def main():
    name, status, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    lines = [line.rstrip("\n") for line in sys.stdin]
    suite = tree.Element("testsuite", name=name)
    if status == SKIPPED:
        add(suite, "virtual machine", "skipped", lines[-1] if lines else "no reason given")
    seen = [add_line(suite, line) for line in lines]
    if status not in (0, SKIPPED) or (status == 0 and not any(seen)):
        add(suite, "virtual machine", "failure", f"status {status}: {lines[-1] if lines else BROKEN}")
    tree.ElementTree(suite).write(path)


main()
