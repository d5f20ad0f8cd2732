"""demo.py PROGRAM EXAMPLES OUT - run the evaluations of EXAMPLES/expected.json and compare every verdict"""
import json
import pathlib
import shutil
import subprocess
import sys

PROBE = "candidates/stdio-good/sum-columns.py"


def choose_policy(program, examples):
    """The default policy, or the one that does without control groups, and then it says so."""
    run = subprocess.run([program, "run", "--policy", "default", examples / PROBE], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode != 126 or "--if-available" not in run.stderr:
        return []
    print("This user may not make control groups, so memory and processes are bounded less well than for root.")
    print("  " + run.stderr.strip())
    print("The demo goes on with --if-available.\n")
    return ["--if-available"]


def wanted_of(verdicts, row):
    """The verdict that a result must have: one a task, one a case (map), or one a sample (list)."""
    wanted = verdicts.get(row["task_id"])
    if isinstance(wanted, dict):
        return wanted.get(row.get("case"))
    if isinstance(wanted, list):
        return wanted[row["sample"]] if row["sample"] < len(wanted) else None
    return wanted


def count_wanted(verdicts, rows):
    """How many verdicts there must be: a task with one verdict for all its cases has at least one."""
    total = 0
    for task, wanted in verdicts.items():
        seen = sum(1 for row in rows if row["task_id"] == task)
        total += len(wanted) if isinstance(wanted, (dict, list)) else max(1, seen)
    return total


def compare(evaluation, folder):
    """Returns (number of verdicts, list of differences)."""
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    wrong = []
    for row in rows:
        wanted = wanted_of(evaluation["verdicts"], row)
        if row["verdict"] != wanted:
            wrong.append("%s, %s, sample %s%s: %s, expected %s (%s)" % (
                evaluation["name"], row["task_id"], row["sample"], ", case " + row["case"] if row.get("case") else "",
                row["verdict"], wanted, row["detail"]))
    total = count_wanted(evaluation["verdicts"], rows)
    if len(rows) != total:
        wrong.append("%s: %d verdicts, expected %d" % (evaluation["name"], len(rows), total))
    return total, wrong


def run_one(program, examples, out, evaluation, options):
    candidates = evaluation["candidates"]
    folder = out / evaluation["name"].replace(" ", "-").replace(",", "")
    words = [program, "eval", examples / evaluation["tasks"], "--out", folder,
             "--candidates", candidates if candidates in ("canonical", "none") else examples / candidates, *options]
    words += ["--policy", examples / evaluation["policy"] if "policy" in evaluation else "default"]  # never the user's own
    print("\n== %s: %s ==" % (evaluation["name"], evaluation["about"]), flush=True)
    status = subprocess.run(words, stdin=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        return 0, ["%s: fumehood eval ended with status %d" % (evaluation["name"], status)]
    total, wrong = compare(evaluation, folder)
    if (folder / "receipts.jsonl").exists():
        verify = subprocess.run([program, "receipt", "verify", folder / "receipts.jsonl"], stdout=subprocess.DEVNULL)
        if verify.returncode != 0:
            wrong.append("%s: the receipts do not verify" % evaluation["name"])
    return total, wrong


def limits_if_available(words):
    """A limit that only a control group can keep, spelled so that it may be absent."""
    return [word.replace("memory_bytes=", "memory_bytes_if_available=") for word in words]


def main(program, examples, out):
    examples, out = pathlib.Path(examples), pathlib.Path(out)
    expected = json.loads((examples / "expected.json").read_text())
    shutil.rmtree(out, ignore_errors=True)
    policy = choose_policy(program, examples)
    options = [word for limit in expected["limits"] for word in ("--limit", limit)]
    if policy:
        options = limits_if_available(options) + policy
    total, wrong = 0, []
    for evaluation in expected["evals"]:
        if policy and "policy" in evaluation:
            print("\n== %s: left out, its policy needs control groups ==" % evaluation["name"])
            continue
        if policy:
            evaluation["verdicts"].update(evaluation.get("without_control_groups", {}))
        count, faults = run_one(program, examples, out, evaluation, options)
        total += count
        wrong += faults
    print("\nResults, receipts and the exact programs: %s" % out)
    for line in wrong:
        print("demo: " + line, file=sys.stderr)
    print("demo: %s" % ("%d faults, named above" % len(wrong) if wrong else "all %d verdicts as expected" % total))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
