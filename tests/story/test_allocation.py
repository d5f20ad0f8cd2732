"""Every allocation of a command fails in turn, alone or with all that follow it.

The program is a build of fumehood with a stand-in before its allocator (tests/endure/allocation.c): the rooms and the
libraries that are linked into it ask there. A point is the n-th allocation of one process. All points of all commands
take some minutes; the tests take FUMEHOOD_ALLOCATION_POINTS of each (default 40; 0: all).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from hood import *

POINTS = int(os.environ.get("FUMEHOOD_ALLOCATION_POINTS", "40"))
PROGRAM = BINARY.parent / "tests/endure/fumehood_allocation"
# Fills every list of a receipt: denials, what was observed, both streams, one of them no text.
GUEST = r"""
import ctypes, os, socket, sys
for family in (socket.AF_INET, socket.AF_UNIX, 16, 17):
    try: socket.socket(family, socket.SOCK_STREAM if family != 16 else socket.SOCK_RAW)
    except OSError: pass
for call in (lambda: os.mount, lambda: os.setns, lambda: os.unshare):
    try: call()
    except (AttributeError, OSError): pass
ctypes.CDLL(None).ptrace(0, 0, 0, 0); ctypes.CDLL(None).mount(0, 0, 0, 0, 0)
for path in ('/etc/shadow', '/nowhere/at/all', '/root'):
    try: open(path)
    except OSError: pass
fields = dict(line.split(':', 1) for line in open('/proc/self/status') if ':' in line)
print('probe', *(fields[key].split()[0] for key in ('NoNewPrivs', 'Seccomp', 'CapBnd', 'Uid')), os.path.exists('/root'), flush=True)
os.write(2, b'\xff\xfe no text\n')
"""
PROBE = "probe 1 2 0000000000000000 1000 False\n"
POLICY = """name: small
limits:
  wall_ms: 5s
  stdout_bytes: {unlimited: small by nature}
observe: [files, exec]
environment: {COLOUR: red}
"""
VOLATILE = {"run_id", "started_utc", "usage", "environment", "sha256", "teardown"}
SANITIZER = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:")


class Failing:
    """One command, and what it does with every allocation that fails."""

    def __init__(self, hood, words, who="", share=1):
        self.points = POINTS // share
        need(PROGRAM.exists(), "no %s: build the tests" % PROGRAM)
        self.hood, self.words, self.who, self.counter = hood, [str(word) for word in words], who, hood.folder / "count"

    def run(self, kind, number):
        env = dict(os.environ, FUMEHOOD_ALLOCATION="%s%s:%d" % (self.who, kind, number), FUMEHOOD_ALLOCATION_COUNT=str(self.counter))
        done = subprocess.run([str(PROGRAM), *self.words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=env)
        return Run(done.returncode, done.stdout, done.stderr)

    def count(self):
        self.counter.unlink(missing_ok=True)
        run = self.run("once", 0)
        return run, int.from_bytes(self.counter.read_bytes(), sys.byteorder)

    def faults(self, whole, kinds=("once", "from"), before=lambda: None, statuses=()):
        """What is wrong, over all points; whole(run) yields what is wrong with a result that claims to be one."""
        before()
        good, count = self.count()
        assert good.status == 0, good
        assert count > 50, "it hardly allocates: is it linked with the stand-in? %d" % count
        assert not list(whole(good)), list(whole(good))
        wrong = []
        for kind in kinds:
            for number in range(1, count + 1, 1 if POINTS == 0 else max(1, count // self.points)):
                before()
                try:
                    run = self.run(kind, number)
                except subprocess.TimeoutExpired:
                    wrong.append((kind, number, "did not end"))
                    continue
                found = list(self.of_run(run, good, statuses)) + list(whole(run))
                wrong += [(kind, number, fault, run.status, run.said[:1500]) for fault in found]
        return wrong

    def of_run(self, run, good, statuses):
        if SANITIZER.search(run.said):
            yield "a fault of memory"
        if run.status == good.status:
            return
        lines = [line for line in run.said.splitlines() if line.startswith("fumehood: ")]
        if run.status not in (125, *statuses):
            yield "ended with %s" % run.status
        if not any(re.match("fumehood: .+: .", line) for line in lines) and not (run.status in statuses and not lines):
            yield "no word of why"
        if processes_with(self.hood.nonce):
            yield "alive: %s" % processes_with(self.hood.nonce)


def expect_none(wrong):
    assert not wrong, "%d:\n%s" % (len(wrong), "\n".join(map(str, wrong[:40])))


def shape(receipt):
    """All that two receipts of one program have in common."""
    common = {key: value for key, value in receipt.items() if key not in VOLATILE}
    common["denials"] = [(row["class"], row["what"], row["count"]) for row in receipt["denials"]]
    return common


@pytest.mark.parametrize("way", ["json", "receipt"])
def test_run(hood, way):
    receipt = hood.folder / "receipt.json"
    policy = hood.policy("small.yaml", POLICY)
    options = ["--json"] if way == "json" else []
    words = ["run", *options, "--receipt", receipt, "--policy", policy, "--env", "STORY_NONCE=" + hood.nonce,
             "--input", hood.file("data.txt", "some bytes"), hood.program(GUEST, "py")]
    expected, groups = {}, own_cgroups()

    def before():
        receipt.unlink(missing_ok=True)

    def whole(run):
        texts = [receipt.read_text()] if receipt.exists() else []
        if way == "json" and run.out:
            texts.append(run.text)
        elif run.out and not PROBE.startswith(run.text):
            yield "its output is not what it wrote: %r" % run.out
        if run.status == 0 and len(texts) < (2 if way == "json" else 1):
            yield "no receipt"
        for text in texts:
            yield from self_sealed(text)
        left = {path.name for path in hood.folder.iterdir() if path.name.startswith("receipt")} - {"receipt.json"}
        if left:
            yield "files left: %s" % left

    def self_sealed(text):
        try:
            value = json.loads(text)
            claimed, real = receipt_hash(text)
        except (ValueError, KeyError) as why:
            yield "half a receipt: %s %r" % (why, text[-100:])
            return
        if claimed != real:
            yield "its seal is broken"
        has, ending = value["protections"], value["ending"]["kind"]
        if any(value["teardown"][key] for key in value["teardown"] if key.endswith("_left")):
            yield "left behind: %s" % value["teardown"]
        if value["stdout"]["text"] and (value["stdout"]["text"] != PROBE or set(has["requested"]) - set(has["achieved"])
                                        - set(has["missing"])):
            yield "the guest ran with less: %s %s" % (value["stdout"]["text"], has)
        if ending not in ("exited", "setup-error", "lost"):
            yield "blames %s" % value["ending"]
        if ending == "exited":
            expected.setdefault("shape", shape(value))
            for key in set(expected["shape"]) | set(shape(value)):
                if shape(value).get(key) != expected["shape"].get(key):
                    yield "%s is not whole: %s, not %s" % (key, shape(value).get(key), expected["shape"].get(key))

    wrong = Failing(hood, words).faults(whole, before=before)
    expect_none(wrong)
    assert not left_cgroups(groups)


TASKS = [
    {"id": "echo", "prompt": "Print the input.", "stdin": "a\n", "expect": "a\n"},
    {"id": "calls", "prompt": "Add.", "entry_point": "add",
     "cases": [{"args": [1, 2], "expect": 3}, {"args": [10 ** 30, 0.5], "expect": 1e30}]},
]
SCRIPT = {"task_id": "script", "prompt": "def twice(n):\n", "entry_point": "twice", "canonical_solution": "    return n + n\n",
          "test": "def check(candidate):\n    assert candidate(2) == 4\n"}


@pytest.fixture
def task_set(hood):
    """(tasks, candidates): one that passes, one that is wrong, one that is missing."""
    tasks = hood.file("tasks.json", json.dumps(TASKS))
    hood.file("candidates/echo.py", "print(input())")
    hood.file("candidates/calls.py", "def add(a, b):\n    return a + b\n")
    return tasks, hood.folder / "candidates"


def verdicts_of(path):
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(row["task_id"], row.get("case")): row["verdict"] for row in rows}


@pytest.mark.parametrize("who", ["", "worker:"])
def test_eval(hood, task_set, who):
    out, expected, groups = hood.folder / "out", {}, own_cgroups()
    policy = hood.policy("eval.yaml", "environment: {STORY_NONCE: %s}\n" % hood.nonce)
    words = ["eval", task_set[0], "--candidates", task_set[1], "--out", out, "--jobs", "1", "--policy", policy]

    def before():
        shutil.rmtree(out, ignore_errors=True)

    def whole(run):
        try:
            verdicts = verdicts_of(out / "results.jsonl")
        except ValueError as why:
            yield "half a result: %s" % why
            return
        expected.setdefault("verdicts", verdicts)
        for key, verdict in verdicts.items():
            if verdict not in (expected["verdicts"][key], "infra-error"):
                yield "%s: %s, not %s" % (key, verdict, expected["verdicts"][key])
        finished = run.status in (0, 1) or (run.status == 3 and not run.said)
        if run.status == 3 and finished and "infra-error" not in verdicts.values():
            yield "no word of why"
        if finished:
            if set(verdicts) != set(expected["verdicts"]):
                yield "it has not judged %s" % (set(expected["verdicts"]) - set(verdicts))
            if not (out / "summary.json").exists():
                yield "no summary"
        if (out / "summary.json").exists():
            summary = json.loads((out / "summary.json").read_text())
            if sum(summary["by_verdict"].values()) != len({task for task, _ in verdicts}):
                yield "the summary counts %s, there are %s" % (summary["by_verdict"], verdicts)
        if (out / "receipts.jsonl").exists() and (out / "receipts.jsonl").stat().st_size:
            verified = hood.call("receipt", "verify", out / "receipts.jsonl")
            unfinished = verified.status == 1 and re.search("(summary|eval)[.]json: is missing", verified.said)
            if verified.status != 0 and not (unfinished and not finished):
                yield "not verified: %s" % verified.said
        if out.exists():
            resumed = hood.call(*words, "--resume")
            if resumed.status not in (0, 1) or set(verdicts_of(out / "results.jsonl")) != set(expected["verdicts"]):
                yield "it cannot go on: %s" % resumed.said

    wrong = Failing(hood, words, who, share=2).faults(whole, before=before, statuses=(0, 1, 3))
    expect_none(wrong)
    assert not left_cgroups(groups)


@pytest.mark.parametrize("verb", [["policy", "check"], ["policy", "show"], ["policy", "show", "--json"], ["policy", "hash"],
                                  ["policy", "explain"]])
def test_policy(hood, verb):
    words = verb + [hood.policy("small.yaml", POLICY)]
    expected = {}

    def whole(run):
        expected.setdefault("out", run.out)
        if run.status == 0 and run.out != expected["out"]:
            yield "not whole: %r" % run.out[-300:]
        if run.status != 0 and run.out and not expected["out"].startswith(run.out):
            yield "something else: %r" % run.out[-300:]
    expect_none(Failing(hood, words).faults(whole))


@pytest.mark.parametrize("verb", [["receipt", "verify"], ["receipt", "show"], ["receipt", "show", "--run", ""]])
def test_receipt(hood, task_set, verb):
    out = hood.folder / "out"
    expect_status(hood.call("eval", task_set[0], "--candidates", task_set[1], "--out", out), 0)
    path = out / "receipts.jsonl"
    if verb[-1] == "":
        verb[-1] = json.loads(path.read_text().splitlines()[1])["run_id"]
    elif verb[1] == "show":
        path = hood.file("one.json", json.dumps(json.loads(path.read_text().splitlines()[0]), indent=1))
    expected = {}

    def whole(run):
        expected.setdefault("out", run.out)
        if run.status == 0 and run.out != expected["out"]:
            yield "not whole: %r" % run.out[-300:]
    expect_none(Failing(hood, verb + [path]).faults(whole))
