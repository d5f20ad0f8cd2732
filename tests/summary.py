"""summary.py DIR - add up the JUnit files of a test run

Prints every failure, every skip with its reason, and last "N passed, N failed". Status 1 when anything failed, when
nothing passed, or when a part broke (a file NAME.broken).
"""
import pathlib
import sys
import xml.etree.ElementTree as tree


def outcome(case):
    """("passed" | "failed" | "skipped", reason) of one test."""
    for kind in ("failure", "error"):
        found = case.find(kind)
        if found is not None:
            return "failed", (found.get("message") or "").splitlines()[:1]
    found = case.find("skipped")
    if found is not None:
        return "skipped", [found.get("message") or "no reason given"]
    # ctest says it in an attribute too
    status = case.get("status", "run")
    if status == "fail":
        return "failed", []
    if status in ("notrun", "disabled"):
        return "skipped", ["not run"]
    return "passed", []


def read(path, totals, lines):
    part = path.stem
    for case in tree.parse(path).getroot().iter("testcase"):
        kind, reason = outcome(case)
        totals[kind] += 1
        if kind != "passed":
            name = " ".join(filter(None, [case.get("classname"), case.get("name")]))
            lines[kind].append(f"{part}: {name}: {' '.join(reason)}".rstrip(": "))


def main():
    folder = pathlib.Path(sys.argv[1])
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    lines = {"failed": [], "skipped": []}
    for path in sorted(folder.glob("*.xml")):
        try:
            read(path, totals, lines)
        except tree.ParseError as error:
            totals["failed"] += 1
            lines["failed"].append(f"{path.stem}: unreadable results: {error}")
    for path in sorted(folder.glob("*.broken")):
        totals["failed"] += 1
        lines["failed"].append(f"{path.stem}: {path.read_text().strip()}")
    for line in lines["skipped"]:
        print("SKIPPED", line)
    for line in lines["failed"]:
        print("FAILED", line)
    if totals["skipped"]:
        print(f"{totals['skipped']} skipped, each named above: what they check was not checked")
    text = f"{totals['passed']} passed, {totals['failed']} failed"
    (folder / "summary.txt").write_text(text + "\n")
    print(text)
    return 0 if totals["failed"] == 0 and totals["passed"] > 0 else 1


sys.exit(main())
