"""report.py STATUS XML - turn the lines of a run in the virtual machine ("ok ...", "not ok ...") into JUnit results

Status 77 says that something is missing here: then the whole is one skip, with the reason from the last line.
"""
import sys
import xml.etree.ElementTree as tree

SKIPPED, BROKEN = 77, "the virtual machine gave no results"


def add(suite, name, kind=None, message=""):
    case = tree.SubElement(suite, "testcase", classname="cgroup-v2", name=name)
    if kind:
        tree.SubElement(case, kind, message=message)


def main():
    status, path = int(sys.argv[1]), sys.argv[2]
    lines = [line.rstrip("\n") for line in sys.stdin]
    suite = tree.Element("testsuite", name="vm")
    if status == SKIPPED:
        add(suite, "virtual machine", "skipped", lines[-1] if lines else "no reason given")
    seen = False
    for line in lines:
        if line.startswith("ok "):
            add(suite, line[3:])
            seen = True
        elif line.startswith("not ok "):
            add(suite, line[7:], "failure", "see the log")
            seen = True
    if status not in (0, SKIPPED) or (status == 0 and not seen):
        add(suite, "virtual machine", "failure", f"status {status}: {lines[-1] if lines else BROKEN}")
    tree.ElementTree(suite).write(path)


main()
