"""Judging: verdicts, results, resuming, and the chain of evidence."""
import gzip
import hashlib
import json
import os
import random
import signal
import subprocess

import pytest

import cheats
from hood import *

RESULT_FIELDS = set("task_id sample verdict fault code_sha256 run_id wall_us cpu_us memory_peak_bytes detail".split())
SUMMARY_FIELDS = set("tasks candidates judged passed by_verdict pass_at coverage infra_errors wall_s runs_per_s task_set_sha256 "
                     "policy_sha256 version environment".split())
FAULTS = {"pass": "none", "missing": "model", "no-code": "model", "task-invalid": "task", "infra-error": "host", "skipped": "none"}


def evaluate(hood, tasks, candidates, *options, out="out", timeout=240, status=None):
    folder = hood.folder / out
    run = hood.call("eval", tasks, "--candidates", candidates, "--out", folder, *options, timeout=timeout)
    assert run.status in (0, 1) if status is None else run.status == status, run
    run.rows, run.summary, run.folder = results_of(folder), summary_of(folder), folder
    expect_sound(run)
    return run


def expect_sound(run):
    """What holds for any finished evaluation."""
    assert SUMMARY_FIELDS <= set(run.summary), SUMMARY_FIELDS - set(run.summary)
    for row in run.rows:
        assert RESULT_FIELDS <= set(row), RESULT_FIELDS - set(row)
        assert row["verdict"] in VERDICTS, row
        assert row["fault"] == FAULTS.get(row["verdict"], "candidate"), row
    keys = [(row["task_id"], row["sample"], row.get("case")) for row in run.rows]
    assert len(keys) == len(set(keys)), "judged twice"
    counts = run.summary["by_verdict"]
    assert run.summary["judged"] + run.summary.get("skipped", 0) <= max(len(run.rows), run.summary["candidates"])
    assert all(name in VERDICTS for name in counts)
    assert (run.summary["passed"] == run.summary["candidates"]) == (run.status == 0) or not run.rows
    for row in run.rows:
        if row["run_id"]:
            assert hashlib.sha256((run.folder / "objects" / row["code_sha256"]).read_bytes()).hexdigest() == row["code_sha256"]


def by_task(run):
    found = {}
    for row in run.rows:
        found.setdefault(row["task_id"], []).append(row["verdict"])
    return found


def receipts_of(folder):
    return [json.loads(line) for line in (folder / "receipts.jsonl").read_text().splitlines()]


# ---------------------------------------------------------------- the project's own examples

def example_evals():
    return json.loads((EXAMPLES / "expected.json").read_text())["evals"]


@pytest.mark.parametrize("index", range(len(example_evals()) if (EXAMPLES / "expected.json").exists() else 0))
def test_examples_get_the_expected_verdicts(hood, index):
    expected = json.loads((EXAMPLES / "expected.json").read_text())
    row = expected["evals"][index]
    options = [word for limit in expected["limits"] for word in ("--limit", limit)]
    verdicts = row["verdicts"]
    if not has_groups():
        options = [word.replace("memory_bytes=", "memory_bytes_if_available=") for word in options]
        verdicts = dict(verdicts, **row.get("without_control_groups", {}))
    if "policy" in row:
        need_groups()
        options += ["--policy", EXAMPLES / row["policy"]]
    candidates = row["candidates"] if row["candidates"] in ("canonical", "none") else EXAMPLES / row["candidates"]
    run = evaluate(hood, EXAMPLES / row["tasks"], candidates, *options)
    wrong = []
    for result in run.rows:
        wanted = verdicts[result["task_id"]]
        if isinstance(wanted, dict):
            wanted = wanted[result["case"]]
        elif isinstance(wanted, list):
            wanted = wanted[result["sample"]]
        if result["verdict"] != wanted:
            wrong.append((result["task_id"], result.get("case"), result["sample"], result["verdict"], "expected " + wanted, result["detail"]))
    assert not wrong
    assert set(by_task(run)) == set(verdicts)
    assert run.text.count("\n") > 3, "no table"
    expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)


# ---------------------------------------------------------------- small sets of every kind

ECHO = [{"id": "echo", "prompt": "Print the input.", "stdin": "a\nb\n", "expect": "a\nb\n"}]


def one_stdio(hood, source, extension="py", expect="a\nb\n", options=()):
    tasks = hood.file("tasks.json", json.dumps([dict(ECHO[0], expect=expect)]))
    hood.file("candidates/echo." + extension, source)
    return evaluate(hood, tasks, hood.folder / "candidates", *options).rows[0]


@pytest.mark.parametrize("source,verdict", [
    ("import sys\nsys.stdout.write(sys.stdin.read())", "pass"),
    ("print('a')\nprint('b')\n\n", "pass"),
    ("print('a  ')\nprint('b')\nprint()", "pass"),
    ("print('a')", "wrong-answer"),
    ("print('A')\nprint('b')", "wrong-answer"),
    ("print(' a')\nprint('b')", "wrong-answer"),
    ("pass", "wrong-answer"),
    ("print('a')\nprint('b')\nraise SystemExit(1)", "runtime-error"),
    ("print('a')\nprint('b')\n1/0", "runtime-error"),
    ("print('a\\nb', flush=True)\nimport os\nos.kill(os.getpid(), 11)", "runtime-error"),
    ("def (", "compile-error runtime-error"),
    ("while True: pass", "timeout"),
    ("import time\ntime.sleep(60)", "timeout"),
    ("x = []\nwhile True: x.append(b'x' * (4 << 20))", "memory"),
    ("while True: print('x' * 1000)", "output-limit"),
    ("", "no-code wrong-answer"),
    ("   \n\n", "no-code wrong-answer"),
])
def test_stdio_verdicts(hood, source, verdict):
    if verdict == "memory":
        need_groups()
    row = one_stdio(hood, source, options=["--limit", "wall_ms=1500ms", *(["--limit", "memory_bytes=96MiB"] if verdict == "memory" else [])])
    assert row["verdict"] in verdict.split(), row


def test_a_candidate_larger_than_the_scratch_meets_that_limit(hood):
    row = one_stdio(hood, "print('a')\nprint('b')  #" + "x" * 5000, options=["--limit", "scratch_bytes=4KiB"])
    assert (row["verdict"], row["detail"]) == ("limit", "the program has more than 4096 bytes"), row


def test_bytes_that_are_no_text_are_only_wrong(hood):
    assert one_stdio(hood, "import os\nos.write(1, bytes(range(256)))")["verdict"] == "wrong-answer"


def one_call(hood, source, cases, language="python", **task):
    extension = {"python": "py", "javascript": "js"}[language]
    tasks = hood.file("tasks.json", json.dumps([dict({"id": "t", "prompt": "p", "language": language, "cases": cases}, **task)]))
    hood.file("candidates/t." + extension, source)
    run = evaluate(hood, tasks, hood.folder / "candidates", "--limit", "wall_ms=3s")
    return {row["case"]: row["verdict"] for row in run.rows}, run


VALUES = [None, True, False, 0, -1, 1 << 60, 0.5, -1e300, "", "ü\u2028\U0001f40d\0", [], [[], [None]], {}, {"a": {"b": [1, "x"]}}, "no-mutation?"]


@pytest.mark.parametrize("language,source", [("python", "def solution(x):\n    return x\n"), ("javascript", "function solution(x) { return x; }\n")])
def test_values_go_in_and_out_unchanged(hood, language, source):
    values = [value for value in VALUES if language == "python" or value != 1 << 60]
    found, _ = one_call(hood, source, [{"name": "v%d" % n, "input": value, "expect": value} for n, value in enumerate(values)], language)
    assert set(found.values()) == {"pass"}, found


@pytest.mark.parametrize("language,source", [("python", "def solution(x):\n    raise ValueError('\\x1b[31mred\\x07\\u202e\\n\\r|')\n"),
                                             ("javascript", "function solution(x) { throw new Error('\\x1b[31mred\\x07\\u202e\\n\\r|'); }\n")])
def test_a_candidates_words_do_not_reach_the_terminal_raw(hood, language, source):
    tasks = hood.file("tasks.json", json.dumps([{"id": "t", "prompt": "p", "cases": [{"name": "c\x1b[32m", "input": 0, "expect": "\x1b[33m"}]}]))
    hood.file("candidates/t." + {"python": "py", "javascript": "js"}[language], source)
    run = evaluate(hood, tasks, hood.folder / "candidates")
    shown = run.out + run.err
    assert not [byte for byte in shown if byte < 32 and byte != 10] and "\u202e".encode() not in shown, shown
    assert "red" in run.text and len([line for line in run.text.splitlines() if "runtime-error" in line and "c" in line]) >= 1


@pytest.mark.parametrize("answer,expect,verdict", [
    ("1", 1, "pass"), ("1.0", 1, "pass"), ("True", 1, "wrong-answer"), ("1", True, "wrong-answer"), ("'1'", 1, "wrong-answer"), ("None", None, "pass"),
    ("0.1 + 0.2", 0.3, "pass"), ("[1, 2]", [2, 1], "wrong-answer"), ("(1, 2)", [1, 2], "pass"), ("{'b': 1, 'a': 2}", {"a": 2, "b": 1}, "pass"),
    ("[1]", [1, 2], "wrong-answer"), ("0", None, "wrong-answer"), ("''", None, "wrong-answer"), ("object()", 1, "runtime-error"),
    ("float('nan')", 0, "runtime-error wrong-answer"), ("10 ** 30", 10 ** 30, "pass"), ("10 ** 30 + 1", 10 ** 30, "wrong-answer"),
])
def test_values_are_compared_as_values(hood, answer, expect, verdict):
    found, _ = one_call(hood, "def solution(x):\n    return %s\n" % answer, [{"name": "c", "input": 0, "expect": expect}])
    assert found["c"] in verdict.split(), found


def calls(hood, language, rows, **task):
    """One run: rows of (body of the function, expected value, wanted verdict, words of the detail)."""
    head, tail = {"python": ("def solution(x):\n ", "\n"), "javascript": ("function solution(x) { ", " }\n")}[language]
    tasks, lines = [], []
    for n, (body, expect, _, _) in enumerate(rows):
        tasks.append(dict({"id": "t%d" % n, "language": language, "cases": [{"name": "c", "input": {"b": 1, "a": 2, "c": [3]}, "expect": expect}]},
                          **task))
        lines.append(json.dumps({"task_id": "t%d" % n, "solution": body if "solution" in body else head + body + tail}))
    run = evaluate(hood, hood.file("tasks.json", json.dumps(tasks)), hood.file("c.jsonl", "\n".join(lines) + "\n"), "--limit", "wall_ms=3s")
    found = {row["task_id"]: (row["verdict"], row["detail"]) for row in run.rows}
    return [(body, found["t%d" % n]) for n, (body, _, verdict, words) in enumerate(rows)
            if found["t%d" % n][0] != verdict or (words or "") not in (found["t%d" % n][1] or "")]


PYTHON_VALUES = [
    ("return list(x)", ["b", "a", "c"], "pass", None),
    ("return ''.join(x) + str(x)", "bac{'b': 1, 'a': 2, 'c': [3]}", "pass", None),
    ("return 9e18", 9000000000000000001, "wrong-answer", "got 9e+18, expected 9000000000000000001"),
    ("return 2.0 ** 64", 18446744073709551617, "wrong-answer", None),
    ("return 2 ** 64 + 1", 18446744073709551617, "pass", None),
    ("return 2.0 ** 64", 18446744073709551616, "pass", None),
    ("return float(2 ** 53)", 2 ** 53 + 1, "wrong-answer", None),
    ("return 10 ** 4000", 10 ** 4000, "pass", None),
    ("return 10 ** 4000 + 1", 10 ** 4000, "wrong-answer", "the number differs from its digit 4001 on"),
    ("return 5.6e-17", 0.0, "pass", None),
    ("return 5.6e-17", 0, "wrong-answer", None),
    ("return 0.0", 1.6e-19, "wrong-answer", None),
    ("return 1.0000000000000002", 1, "wrong-answer", "got 1.0000000000000002, expected 1"),
    ("return {'\\x01int': '5'}", 5.0, "wrong-answer", None),
    ("return {'\\x01int': '5'}", 5, "wrong-answer", None),
    ("return {'\\x01int': '5'}", {"\x01int": "5"}, "pass", None),
    ("return 5", {"\x01int": "5"}, "wrong-answer", None),
    ("return {'i': '5'}", {"i": "5"}, "pass", None),
    ("return {'l': [1]}", [1], "wrong-answer", None),
    ("return {'l': [1]}", {"l": [1]}, "pass", None),
    ("return {'d': [['a', 1]]}", {"a": 1}, "wrong-answer", None),
    ("return '{\"l\":[]}'", [], "wrong-answer", None),
    ("return ((1, (2,)), [])", [[1, [2]], []], "pass", None),
    ("return {1: 2, None: 3, True: 4}", {"1": 4, "null": 3}, "pass", None),
    ("return {1: 2, '1': 3}", {"1": 2}, "runtime-error", "two dictionary keys"),
    ("return {1, 2}", [1, 2], "runtime-error", "a value of type set"),
    ("return iter([])", [], "runtime-error", "a value of type list_iterator"),
    ("return [float('inf')]", [1], "runtime-error", "a number that is not finite"),
    ("return '\\ud800'", "x", "runtime-error", "text that is not valid Unicode"),
    ("y = []; y.append(y); return y", [], "runtime-error", "more than 256 levels"),
    ("class L(list):\n  __len__ = lambda s: 0\n  __iter__ = lambda s: iter(())\n return L([1, 2])", [1, 2], "pass", None),
    ("class I(int):\n  __repr__ = __str__ = lambda s: '7'\n return I(3)", 3, "pass", None),
    ("class F(float):\n  __repr__ = lambda s: '7'\n  __float__ = lambda s: 7.0\n return F(3.5)", 3.5, "pass", None),
    ("class S(str):\n  __str__ = __repr__ = lambda s: 'x'\n  encode = lambda *a: b'x'\n return [S('y'), {S('k'): 1}]", ["y", {"k": 1}], "pass", None),
    ("class D(dict):\n  items = keys = lambda s: []\n return D(a=1)", {"a": 1}, "pass", None),
    ("import collections; return collections.OrderedDict(a=collections.Counter('aab'))", {"a": {"a": 2, "b": 1}}, "pass", None),
    ("import enum; return enum.IntEnum('E', 'a b').b", 2, "pass", None),
    ("return ['ü\\u2028\\0\\n\\\\\"\\U0001f40d'] * 2", ["ü\u2028\0\n\\\"\U0001f40d"] * 2, "pass", None),
]

NODE_VALUES = [
    ("return Object.keys(x);", ["b", "a", "c"], "pass", None),
    ("return 9e18;", 9000000000000000001, "wrong-answer", None),
    ("return 9e18;", 9000000000000000000, "pass", None),
    ("return 9000000000000000001n;", 9000000000000000001, "pass", None),
    ("return 2 ** 64;", 18446744073709551616, "pass", None),
    ("return 2 ** 64;", 18446744073709551617, "wrong-answer", None),
    ("return 2n ** 64n + 1n;", 18446744073709551617, "pass", None),
    ("return 5n;", 5, "pass", None),
    ("return -0;", 0, "pass", None),
    ("return 5.6e-17;", 0.0, "pass", None),
    ("return {'\\x01int': '5'};", 5.0, "wrong-answer", None),
    ("return {'\\x01int': '5'};", {"\x01int": "5"}, "pass", None),
    ("return {i: '5'};", {"i": "5"}, "pass", None),
    ("return {d: [['a', 1]]};", {"a": 1}, "wrong-answer", None),
    ("function* g() {} return g();", {}, "runtime-error", "an object of type Generator"),
    ("return /x/;", {}, "runtime-error", "an object of type RegExp"),
    ("return new Error('x');", {}, "runtime-error", "an object of type Error"),
    ("return Object.setPrototypeOf(new Error('x'), Object.prototype);", {}, "runtime-error", "an object of type Error"),
    ("return Object.setPrototypeOf(new Map([[1, 2]]), null);", {}, "runtime-error", "an object"),
    ("return new Map();", {}, "runtime-error", "an object of type Map"),
    ("return new Set([1]);", [1], "runtime-error", "an object of type Set"),
    ("return new WeakMap();", {}, "runtime-error", "an object of type WeakMap"),
    ("return new Date(0);", {}, "runtime-error", "an object of type Date"),
    ("return [new Promise(() => {})];", [{}], "runtime-error", "an object of type Promise"),
    ("return [[].values()];", [{}], "runtime-error", "an object of type Array Iterator"),
    ("class Foo { constructor() { this.a = 1; } } return new Foo();", {"a": 1}, "runtime-error", "an object of class Foo"),
    ("return new (class {})();", {}, "runtime-error", "an object with a prototype of its own"),
    ("return new (Object.setPrototypeOf(function() {}, null))();", {}, "runtime-error", "an object with a prototype of its own"),
    ("return Object.create({a: 1});", {}, "runtime-error", "an object with a prototype of its own"),
    ("return new Proxy({}, {});", {}, "runtime-error", "a Proxy"),
    ("return [new Proxy([], {})];", [[]], "runtime-error", "a Proxy"),
    ("return () => 1;", {}, "runtime-error", "a value of type function"),
    ("return {a: () => 1};", {}, "runtime-error", "a value of type function"),
    ("return Symbol('x');", {}, "runtime-error", "a value of type symbol"),
    ("return {[Symbol('x')]: 1};", {}, "runtime-error", "a Symbol"),
    ("return Object(Symbol('x'));", {}, "runtime-error", "Symbol"),
    ("return (function () { return arguments; })();", {}, "runtime-error", "Arguments"),
    ("return new ArrayBuffer(1);", {}, "runtime-error", "ArrayBuffer"),
    ("return new DataView(new ArrayBuffer(1));", {}, "runtime-error", "DataView"),
    ("return Math;", {}, "runtime-error", "Math"),
    ("return globalThis;", {}, "runtime-error", "an object of"),
    ("return process;", {}, "runtime-error", "process"),
    ("return {toJSON() { return 7; }};", 7, "runtime-error", "a value of type function"),
    ("return NaN;", 0, "runtime-error", "a number that is not finite"),
    ("return '\\ud800';", "x", "runtime-error", "text that is not valid Unicode"),
    ("const y = []; y.push(y); return y;", [], "runtime-error", "more than 256 levels"),
    ("return 'abc'.match(/b/);", ["b"], "pass", None),
    ("return new Uint8Array([1, 2]);", [1, 2], "pass", None),
    ("return [new Number(1), new String('x'), new Boolean(true)];", [1, "x", True], "pass", None),
    ("return Object.assign(Object.create(null), {a: 1});", {"a": 1}, "pass", None),
    ("return Object.create(Object.assign(Object.create(null), {a: 1}));", {}, "runtime-error", "an object with a prototype of its own"),
    ("return require('vm').runInNewContext('({a: [1]})');", {"a": [1]}, "pass", None),
    ("return structuredClone(x);", {"b": 1, "a": 2, "c": [3]}, "pass", None),
    ("return {a: undefined, b: undefined, c: [undefined, , 1]};", {"c": [None, None, 1]}, "pass", None),
    ("return JSON.parse('{\"__proto__\": 1}');", {"__proto__": 1}, "pass", None),
    ("return ['ü\\u2028\\0\\n\\\\\"\\u{1f40d}'];", ["ü\u2028\0\n\\\"\U0001f40d"], "pass", None),
]


@pytest.mark.parametrize("language,rows", [("python", PYTHON_VALUES), ("javascript", NODE_VALUES)])
def test_values_are_what_they_are(hood, language, rows):
    wrong = calls(hood, language, rows)
    assert not wrong, wrong


def test_a_scalar_of_numpy_is_the_number_that_it_stands_for(hood):
    """float64 is a number of Python's, the others are not: that made two verdicts of one answer."""
    need(subprocess.run([PYTHON, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0,
         "python3-numpy is not installed: its scalars are not returned")
    begin = "import numpy as n; return "
    wrong = calls(hood, "python", [
        (begin + "n.int64(3)", 3, "pass", None), (begin + "n.uint8(3)", 3, "pass", None), (begin + "n.int64(3)", 4, "wrong-answer", "got 3, expected 4"),
        (begin + "n.uint64(2**64 - 1)", 2**64 - 1, "pass", None), (begin + "n.float64(.5)", 0.5, "pass", None), (begin + "n.float32(.5)", 0.5, "pass", None),
        (begin + "n.float32(.1)", 0.1, "wrong-answer", None), (begin + "n.bool_(True)", True, "pass", None), (begin + "n.bool_(True)", 1, "wrong-answer", None),
        (begin + "n.array([1, 2]).sum()", 3, "pass", None), (begin + "[n.int64(1), (n.int8(2),), {'a': n.int16(3)}]", [1, [2], {"a": 3}], "pass", None),
        (begin + "{n.int64(1): 2}", {"1": 2}, "pass", None), (begin + "n.str_('a')", "a", "pass", None),
        (begin + "n.float64('nan')", 0.5, "runtime-error", "returned a number that is not finite"),
        (begin + "n.float32('nan')", 0.5, "runtime-error", "returned a number that is not finite"),
        (begin + "n.array([1, 2])", [1, 2], "runtime-error", "returned a value of type ndarray"),
        (begin + "n.array(3)", 3, "runtime-error", "returned a value of type ndarray"),
        (begin + "n.complex64(1)", 1, "runtime-error", "returned a value of type complex64"),
        (begin + "n.longdouble(1)", 1, "runtime-error", "returned a value of type"),
        (begin + "n.datetime64('2020-01-01')", 1, "runtime-error", "returned a value of type datetime64"),
    ])
    assert not wrong, wrong


def test_a_task_sets_its_tolerance(hood):
    def verdict(answer, expect, tolerance, in_case=False):
        case = dict({"name": "c", "input": 0, "expect": expect}, **({"tolerance": tolerance} if in_case else {}))
        hood.folder = hood.folder / "next"
        return one_call(hood, "def solution(x):\n    return %s\n" % answer, [case], **({} if in_case else {"tolerance": tolerance}))[0]["c"]
    assert verdict("1.001", 1.0, {"absolute": 0.01}) == "pass"
    assert verdict("[1.001]", [1.0], {"relative": 1e-2}, in_case=True) == "pass"
    assert verdict("1.001", 1.0, {"absolute": 1e-4, "relative": 1e-4}) == "wrong-answer"
    assert verdict("1e-20", 0.0, {"absolute": 0}) == "wrong-answer"
    assert verdict("1.001", 1, {"absolute": 0.01}) == "wrong-answer"


@pytest.mark.parametrize("tolerance", [{}, {"atol": 1}, {"relative": 1}, {"relative": -1}, {"absolute": "1"}, {"absolute": True}, [1], 0.1, {"relative": 0, "x": 1}])
def test_a_tolerance_that_is_none_is_refused(hood, tolerance):
    tasks = hood.file("tasks.json", json.dumps([{"id": "t", "tolerance": tolerance, "cases": [{"name": "c", "input": 0, "expect": 1}]}]))
    expect_refusal(hood.call("eval", tasks, "--candidates", "none"), 2, "tolerance")


@pytest.mark.parametrize("becomes", ["x[0] + 1e-12", "1", "(1.0,)", "True", "'1.0'", "[1.0]"])
def test_mutation_is_exact(hood, becomes):
    cases = [{"name": "m", "input": [1.0], "expect": "no-mutation"}]
    assert one_call(hood, "def solution(x):\n    x[0] = %s\n" % becomes, cases)[0]["m"] == "wrong-answer"


@pytest.mark.parametrize("change,verdict", [
    ("x.o.a = undefined", "runtime-error"), ("x.l.z = 1", "runtime-error"), ("x.l[0] = undefined", "runtime-error"), ("delete x.l[0]", "runtime-error"),
    ("x.l.length = 2", "runtime-error"), ("x.o.b = 0", "wrong-answer"), ("x.n = -0", "wrong-answer"), ("x.l[0] = null", "pass"),
    ("Object.defineProperty(x, 'n', {get: () => 0, enumerable: true})", "pass"), ("x.r = 1", "pass"), ("Object.freeze(x)", "pass")])
def test_mutation_is_seen_in_javascript(hood, change, verdict):
    cases = [{"name": "m", "input": {"o": {}, "l": [None], "n": 0, "r": 1.0}, "expect": "no-mutation"}]
    assert one_call(hood, "function solution(x) { %s; }" % change, cases, "javascript")[0]["m"] == verdict


def test_mutation_is_of_types_too(hood):
    """What compares as equal in Python is still another value to whoever looks."""
    cases = [{"name": "m", "args": [[1, 0.0, [2], {"a": 1}, 10**22]], "expect": "no-mutation"}]
    for number, change in enumerate(["x[0] = 1.0", "x[1] = -0.0", "x[2] = (2,)", "x[3]['a'] = True", "x[4] = 1e22"]):
        hood.folder = hood.folder / str(number)
        assert one_call(hood, "def solution(x):\n    %s\n" % change, cases)[0]["m"] == "wrong-answer", change
    hood.folder = hood.folder / "same"
    assert one_call(hood, "def solution(x):\n    x[:] = [1, 0.0, [2], {'a': 1}, 10**22]\n", cases)[0]["m"] == "pass"


ANSWERED = {
    "python": [
        ("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); return 1", 1, "pass", None),
        ("import threading\n def spin():\n  while True: pass\n threading.Thread(target=spin).start(); return 1", 1, "pass", None),
        ("import atexit, time; atexit.register(time.sleep, 60); return 1", 1, "pass", None),
        ("import atexit, os; atexit.register(os._exit, 3); return 1", 1, "pass", None),
        ("import os\n if os.fork() == 0: os.setsid(); __import__('time').sleep(60)\n return 1", 1, "pass", None),
        ("import os\n if os.fork() == 0: return 2\n __import__('time').sleep(0.2); return 1", 1, "pass", None),
        ("import multiprocessing.pool\n p = multiprocessing.pool.ThreadPool(2); p.apply_async(__import__('time').sleep, (60,)); return 1", 1, "pass", None),
        ("class B:\n  def __del__(s): __import__('time').sleep(60)\n global b; b = B(); return 1", 1, "pass", None),
        ("import signal; signal.signal(signal.SIGALRM, signal.SIG_DFL); signal.setitimer(signal.ITIMER_REAL, 60); return 1", 1, "pass", None),
        ("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); return 2", 1, "wrong-answer", "got 2, expected 1"),
        ("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); raise KeyError(7)", 1, "runtime-error", "KeyError: 7"),
        ("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); return {1}", 1, "runtime-error", "a value of type set"),
        ("print('a', end=''); return 1", 1, "pass", None),
        ("while True: print('a' * 4096)", 1, "output-limit", None),
        ("while True: pass", 1, "timeout", None),
        ("import os; os.closerange(3, 256); return 1", 1, "pass", None),
        ("import os; os.closerange(3, 65536); return [1] * 5000", [1] * 5000, "pass", None),
        ("import os; os.closerange(3, 256); return 2", 1, "wrong-answer", None),
        ("import os; os.closerange(3, 256); raise KeyError(7)", 1, "runtime-error", "KeyError: 7"),
        ("import os; os.close(3); return open('/dev/null').fileno()", 3, "pass", None),
        ("import os; os.dup2(os.open('/work/x', os.O_RDWR | os.O_CREAT), 3); return 1", 1, "pass", None),
        ("import os; os.dup2(1, 3); return 1", 1, "pass", None),
        ("open(3, 'w', closefd=True).close(); return 1", 1, "pass", None),
        ("import os; os.closerange(2, 256); return 1", 1, "pass", None),
        ("import os; n = os.open('/dev/null', os.O_RDWR); os.dup2(n, 2); os.dup2(n, 3); return 1", 1, "pass", None),
        ("import sys; sys.stdout.close(); sys.stderr.close(); return 1", 1, "pass", None),
        ("import sys; sys.stdout = sys.stderr = None; return 1", 1, "pass", None),
        ("import os; os.set_blocking(3, False); return 'x' * 900000", "x" * 900000, "pass", None),
        ("import os; os.write(3, b'half a line'); return 1", 1, "pass", None),
        ("import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)); return 1", 1, "pass", None),
        ("import os; os.chdir('/'); os.environ.clear(); return 1", 1, "pass", None),
    ],
    "javascript": [
        ("setInterval(() => 1, 10); return 1;", 1, "pass", None),
        ("setTimeout(() => { throw 1; }, 0); return 1;", 1, "pass", None),
        ("require('net').createServer().listen('/work/s'); return 1;", 1, "pass", None),
        ("process.stdin.resume(); process.on('exit', () => { while (true); }); return 1;", 1, "pass", None),
        ("process.exitCode = 3; return 1;", 1, "pass", None),
        ("process.on('exit', () => process.exit(3)); return 1;", 1, "pass", None),
        ("new (require('worker_threads').Worker)('while (true);', {eval: true}); return 1;", 1, "pass", None),
        ("require('crypto').pbkdf2('a', 'b', 1e9, 9, 'sha512', () => 1); return 1;", 1, "pass", None),
        ("require('child_process').spawn('sleep', ['60']); return 1;", 1, "pass", None),
        ("throw {a: [1, {b: 2}]};", 1, "runtime-error", "threw { a: [ 1, { b: 2 } ] }"),
        ("throw Object.assign(new Error('boom'), {a: 1});", 1, "runtime-error", "Error: boom"),
        ("return Promise.reject(undefined);", 1, "runtime-error", "threw undefined"),
        ("setInterval(() => 1, 10); throw new Error('boom');", 1, "runtime-error", "Error: boom"),
        ("return new Promise(good => { setInterval(() => 1, 10); setTimeout(good, 5, 1); });", 1, "pass", None),
        ("setInterval(() => 1, 10); return 2;", 1, "wrong-answer", None),
        ("return new Promise(() => setInterval(() => 1, 10));", 1, "timeout", None),
        ("return new Promise(() => 1);", 1, "exited-early", None),
        ("require('fs').closeSync(3); return 1;", 1, "pass", None),
        ("const fs = require('fs'); fs.closeSync(3); fs.openSync('/work/x', 'w'); return 1;", 1, "pass", None),
        ("require('fs').closeSync(3); throw new Error('boom');", 1, "runtime-error", "Error: boom"),
        ("require('fs').writeSync(3, 'half a line'); return 1;", 1, "pass", None),
        ("console.log('a'.repeat(100000)); return 1;", 1, "pass", None),
        ("while (true) require('fs').writeSync(1, 'a'.repeat(1000));", 1, "output-limit", None),
    ],
}


MODULES = [
    ("import path from 'path';\nfunction solution(x) { return path.basename('/a/b'); }", "b", "pass", None),
    ("import path from 'path';\nconst solution = x => path.basename('/a/b'); // the end", "b", "pass", None),
    ("function f(x) { return x.b; }\nexport { f as solution };", 1, "pass", None),
    ("export default function solution(x) { return x.a; }", 2, "pass", None),
    ("const two = await Promise.resolve(2);\nconst solution = x => two;", 2, "pass", None),
    ("import { fileURLToPath } from 'url';\nconst solution = x => fileURLToPath(new URL('data.json', import.meta.url));", "/work/data.json", "pass", None),
    ("import { createRequire } from 'module';\nconst path = createRequire(import.meta.url)('path');\nexport const solution = x => path.sep;", "/", "pass", None),
    ("async function solution(x) { return (await import('path')).sep; }", "/", "pass", None),
    ("async function solution(x) { return (await import('node:path')).sep; }", "/", "pass", None),
    ("export async function solution(x) { return (await import('path')).sep; }", "/", "pass", None),
    ("import path from 'path';\nexport const solutions = 1;", 1, "runtime-error", "there is no function solution"),
    ("function solution(x) { return await x; }", 1, "compile-error", "SyntaxError: await is only valid"),
    ("export function solution(x) { return (; }", 1, "compile-error", "SyntaxError: Unexpected token ';'"),
    ("function solution(x) { return (; }", 1, "compile-error", "SyntaxError: Unexpected token ';'"),
    ("import path from 'path';\nthrow new TypeError('solution of ' + path.sep);", 1, "runtime-error", "TypeError: solution of /"),
]


def test_modules_of_javascript(hood):
    """As files of Node.js: they know where they are and import what they like, and what they define need not be exported."""
    wrong = calls(hood, "javascript", MODULES)
    assert not wrong, wrong


@pytest.mark.parametrize("language", list(ANSWERED))
def test_an_answered_call_is_answered(hood, language):
    """Whatever the program leaves running, and whatever it has closed."""
    wrong = calls(hood, language, ANSWERED[language])
    assert not wrong, wrong
    assert not processes_with(hood.nonce)


@pytest.mark.parametrize("language,body", [("python", "return 'x' * %d"), ("javascript", "return 'x'.repeat(%d);")])
def test_a_returned_value_has_a_limit_of_its_own(hood, language, body):
    size = (1 << 20) - 2
    rows = [(body % size, "x" * size, "pass", None), (body % (size + 1), "x", "output-limit", "more than 1048576 bytes (--limit value_bytes=SIZE)"),
            (body % (9 << 20), "x", "output-limit", "more than 1048576 bytes")]
    wrong = calls(hood, language, rows)
    assert not wrong, wrong
    hood.folder = hood.folder / "more"
    tasks = hood.file("tasks.json", json.dumps([{"id": "t", "language": language, "cases": [{"name": "c", "input": 0, "expect": "x" * (size + 1)}]}]))
    head = {"python": "def solution(x):\n ", "javascript": "function solution(x) { "}[language]
    lines = hood.file("c.jsonl", json.dumps({"task_id": "t", "solution": head + body % (size + 1) + ("}" if "f" == head[0] else "")}) + "\n")
    run = evaluate(hood, tasks, lines, "--limit", "value_bytes=2MiB", "--limit", "wall_ms=3s")
    assert run.rows[0]["verdict"] == "pass", run.rows
    none = hood.call("eval", tasks, "--candidates", lines, "--out", hood.folder / "none")
    expect_refusal(none, 2, r"case .c.: what is expected has 1048577 bytes as a value, and no more than 1048576 are allowed")
    expect_one_line(none, "raise --limit value_bytes=SIZE")
    assert receipts_of(run.folder)[0]["limits"]["value_bytes"] == {"value": 2 << 20, "enforced_by": "supervisor", "hits": 0}


@pytest.mark.parametrize("extension,source,detail", [
    ("js", "throw Object.assign(new Error('boom'), {a: 1, b: {c: [1, 2]}});", "exit status 1: Error: boom"),
    ("js", "throw new Error('first\\nsecond\\n}');", "exit status 1: Error: first"),
    ("js", "throw {a: 1};", "exit status 1: { a: 1 }"),
    ("js", "require('assert').deepStrictEqual({a: 1}, {a: 2});", "exit status 1: AssertionError [ERR_ASSERTION]: Expected values"),
    ("js", "Promise.reject(new TypeError('rejected'));", "exit status 1: TypeError: rejected"),
    ("js", "console.error('last'); process.exit(3);", "exit status 3: last"),
    ("py", "raise ValueError('first\\n second\\n}')", "exit status 1: ValueError: first"),
    ("py", "try: 1/0\nexcept ZeroDivisionError as e: raise KeyError('outer') from e", "exit status 1: KeyError: 'outer'"),
    ("py", "import sys; sys.exit('last')", "exit status 1: last"),
])
def test_the_first_line_of_an_error_is_said(hood, extension, source, detail):
    row = one_stdio(hood, source, extension)
    assert row["verdict"] == "runtime-error" and row["detail"].startswith(detail), row


@pytest.mark.parametrize("shift", range(4))
def test_a_detail_is_cut_between_characters(hood, shift):
    detail = one_stdio(hood, "import sys\nsys.exit('x' * %d + '\U0001f40d' * 99)" % shift)["detail"]
    assert detail.endswith("\U0001f40d") and "\ufffd" not in detail, detail


FORGED = r'''
import os, sys, json, builtins, atexit
for fd in range(1, 32):
    try: os.write(fd, b'VALUE 0 42\nDONE\n{"value": 42}\n42\n')
    except OSError: pass
class Same:
    def __eq__(self, other): return True
    def __hash__(self): return 42
def solution(x):
    return Same()
'''


@pytest.mark.parametrize("source", [
    FORGED,
    "def solution(x):\n    import os\n    print(42, flush=True)\n    os._exit(0)",
    "import sys\ndef solution(x):\n    sys.exit(0)",
    "import sys\nsys.exit(0)",
    "def solution(x):\n    raise SystemExit",
    "import json\njson.dumps = lambda *a, **k: '42'\ndef solution(x):\n    return 41",
    "def solution(x):\n    raise ValueError(42)",
    "solution = 42",
    "def other(x):\n    return 42",
    "def solution():\n    return 42",
    "class I(int):\n    def __eq__(s, o): return True\ndef solution(x):\n    return I(41)",
])
def test_cheats_do_not_pass(hood, source):
    found, run = one_call(hood, source, [{"name": "c", "input": 0, "expect": 42}])
    assert found["c"] != "pass", run.rows


CHEAT_LANGUAGES = {"python": (cheats.PYTHON_HEAD, cheats.PYTHON, "def solution(x): tell('value', '%d'); leave()"),
                   "javascript": (cheats.NODE_HEAD, cheats.NODE, "function solution(x) { tell('value', '%d'); leave(); }")}


@pytest.mark.parametrize("language,cage", [("python", "fresh"), ("python", "slot"), ("python", "zygote"), ("javascript", "fresh"),
                                           ("javascript", "slot")])
def test_no_cheat_passes(hood, language, cage):
    """Each has the real nonce, which its last one shows: that one knows the answer too, and is heard."""
    head, sources, control = CHEAT_LANGUAGES[language]
    names = list(sources) if cage == "fresh" else list(sources)[:12]
    wanted = random.randrange(1 << 40, 1 << 50)
    case = {"name": "c", "input": 7, "expect": wanted}
    tasks = hood.file("tasks.json", json.dumps([{"id": "t", "prompt": "p", "language": language, "cases": [case]}]))
    rows = [json.dumps({"task_id": "t", "solution": head + source}) for source in [*map(sources.get, names), control % wanted]]
    run = evaluate(hood, tasks, hood.file("c.jsonl", "\n".join(rows) + "\n"), "--limit", "wall_ms=2s", "--cage", cage, status=1)
    found = {row["sample"]: row for row in run.rows}
    assert len(found) == len(names) + 1
    wrong = [(name, found[n]["verdict"], found[n]["detail"]) for n, name in enumerate(names)
             if found[n]["verdict"] not in ("wrong-answer", "runtime-error", "compile-error", "exited-early", "timeout")]
    assert not wrong, wrong
    assert not [row["detail"] for row in run.rows if "no nonce" in (row["detail"] or "")]
    assert found[len(names)]["verdict"] == "pass", found[len(names)]


@pytest.mark.parametrize("word", "value input start carry".split())
def test_words_of_calls_are_nothing_to_a_script(hood, word):
    body = "    frame, _ = __import__('sys')._getframe(), 0\n    import os\n    while frame.f_back: frame = frame.f_back\n" \
           "    os.write(3, b'\\n%s ' + frame.f_globals['_fumehood_nonce'] + b' null\\n'); os._exit(0)\n" % word
    tasks = hood.file("tasks.jsonl", json.dumps(SCRIPT) + "\n")
    run = evaluate(hood, tasks, hood.file("c.jsonl", json.dumps({"task_id": "S/0", "completion": body}) + "\n"), status=1)
    assert run.rows[0]["verdict"] == "exited-early", run.rows


SEEKER = r"""
import os, re
def solution(x):
    wanted, found = re.compile(rb'ex[p]ected-n[0-9a-f]{16}'), []
    for top, folders, files in os.walk('/'):
        if top.startswith(('/usr', '/proc', '/dev')):
            folders[:] = []
            continue
        for name in files:
            try:
                if wanted.search(open(os.path.join(top, name), 'rb').read(1 << 20)): found.append(name)
            except OSError: pass
    for name in ('environ', 'cmdline'):
        if wanted.search(open('/proc/self/' + name, 'rb').read()): found.append(name)
    with open('/proc/self/mem', 'rb', 0) as mem, open('/proc/self/maps') as maps:
        for line in maps:
            span, flags = line.split()[:2]
            low, high = (int(part, 16) for part in span.split('-'))
            if not flags.startswith('rw') or high - low > 1 << 26: continue
            try:
                mem.seek(low)
                if wanted.search(mem.read(high - low)): found.append('memory')
            except (OSError, ValueError): pass
    return found
"""


def test_expected_values_never_enter_the_cage(hood):
    cases = [{"name": "seeks", "input": 0, "expect": []}, {"name": "other", "input": 1, "expect": "expected-" + hood.nonce}]
    found, run = one_call(hood, SEEKER, cases)
    assert found == {"seeks": "pass", "other": "wrong-answer"}, run.rows


def test_mutation_is_seen_at_any_depth(hood):
    cases = [{"name": "m", "input": {"a": [{"b": [1]}]}, "expect": "no-mutation"}]
    assert one_call(hood, "def solution(x):\n    x['a'][0]['b'].append(2)\n", cases)[0]["m"] == "wrong-answer"
    hood.folder = hood.folder / "second"
    assert one_call(hood, "import copy\ndef solution(x):\n    y = copy.deepcopy(x); y['a'].clear(); return y\n", cases)[0]["m"] == "pass"


SCRIPT = {"task_id": "S/0", "prompt": "def double(x):\n", "entry_point": "double", "canonical_solution": "    return 2 * x\n",
          "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(0) == 0\n"}


@pytest.mark.parametrize("completion,verdict", [
    ("    return 2 * x\n", "pass"), ("    return x + 2\n", "wrong-answer"), ("    return 1/0\n", "runtime-error"), ("    return (\n", "compile-error"),
    ("    pass\n", "wrong-answer"), ("    import sys; sys.exit(0)\n", "exited-early"), ("    import os; os._exit(0)\n", "exited-early"),
    ("    raise SystemExit\n", "exited-early"), ("    while True: pass\n", "timeout"), ("    return 2 * x\nimport sys; sys.exit(0)\n", "exited-early"),
    ("    return 2 * x\nimport os; os._exit(0)\n", "exited-early"), ("    return 2 * x\ndef check(c): pass\n", "pass"),
    ("    return 2 * x\nimport atexit, os; atexit.register(os._exit, 0)\n", "pass"),
    ("    return 2 * x\nimport atexit, os; atexit.register(os._exit, 3)\n", "pass"),
    ("    return 2 * x\nimport threading, time; threading.Thread(target=time.sleep, args=[60]).start()\n", "pass"),
    ("    return 2 * x\nimport multiprocessing; multiprocessing.Process(target=lambda: [1 for _ in iter(int, 1)]).start()\n", "pass"),
    ("    import threading, time; threading.Thread(target=time.sleep, args=[60]).start(); return 2 * x\n", "pass"),
    ("    import threading, time; threading.Thread(target=time.sleep, args=[60]).start(); return 1\n", "wrong-answer"),
    ("    return 1 / 0\nimport threading, time; threading.Thread(target=time.sleep, args=[60]).start()\n", "runtime-error"),
    ("    return 2 * x\nclass D:\n    def __del__(self): import os; os.kill(os.getpid(), 9)\nd = D()\n", "pass"),
    ("    return 2 * x\nimport sys; sys.stdout = None\n", "pass"),
    ("    return 2 * x\nimport sys; sys.stdout = type('O', (), {'flush': lambda s: 1 / 0, 'write': lambda s, t: 0})()\n", "pass"),
    ("    import os, signal; os.kill(os.getpid(), 9)\n", "runtime-error"),
    ("    import os; os.closerange(3, 256); return 2 * x\n", "pass"), ("    import os; os.closerange(3, 256); return x + 2\n", "wrong-answer"),
    ("    import os; os.closerange(3, 65536); return 1/0\n", "runtime-error"),
    ("    return 2 * x\nimport os; os.dup2(os.open('/dev/null', 1), 3)\n", "pass"),
    ("    return 2 * x\nimport os; os.closerange(3, 256); os._exit(0)\n", "exited-early"),
])
def test_script_verdicts(hood, completion, verdict):
    tasks = hood.file("tasks.jsonl", json.dumps(SCRIPT) + "\n")
    candidates = hood.file("c.jsonl", json.dumps({"task_id": "S/0", "completion": completion}) + "\n")
    run = evaluate(hood, tasks, candidates, "--limit", "wall_ms=1500ms")
    assert [row["verdict"] for row in run.rows][0] in verdict.split(), run.rows


@pytest.mark.parametrize("source", [
    "\fimport os\ndef twice(x): return 2 * x\n",
    "  # c\n \f\ffrom __future__ import annotations\ndef twice(x) -> Q: return 2 * x\n",
    "\\\nfrom __future__ import annotations\n\f\ndef twice(x) -> Q: return 2 * x\n",
])
def test_a_form_feed_or_a_line_that_goes_on_is_no_indentation(hood, source):
    """Python takes them so, at the top of a program too: it begins neither inside of a function nor behind our line."""
    compile(source, "candidate.py", "exec", dont_inherit=True)
    task = dict(SCRIPT, prompt="def twice(x):\n", entry_point="twice", canonical_solution="    return 2 * x\n",
                test="def check(candidate):\n    assert candidate(2) == 4\n")
    candidates = hood.file("c.jsonl", json.dumps({"task_id": "S/0", "solution": source}) + "\n")
    assert evaluate(hood, hood.file("tasks.jsonl", json.dumps(task) + "\n"), candidates, status=0).summary["passed"] == 1


@pytest.mark.parametrize("prompt", ["\"\"\"Write twice(x).\n\"\"\"\n", "# twice(x)\n\n", "", "'a' 'text'\n"])
def test_the_head_of_a_program_may_end_in_the_candidate(hood, prompt):
    """Where the prompt before it is nothing but comments and texts, as Python sees it."""
    source = "from __future__ import annotations\ndef twice(x) -> Q: return 2 * x\n"
    compile(prompt + source, "candidate.py", "exec", dont_inherit=True)
    task = dict(SCRIPT, prompt=prompt, entry_point="twice", test="def check(candidate):\n    assert candidate(2) == 4\n")
    candidates = hood.file("c.jsonl", json.dumps({"task_id": "S/0", "completion": source}) + "\n")
    assert evaluate(hood, hood.file("tasks.jsonl", json.dumps(task) + "\n"), candidates, status=0).summary["passed"] == 1


def test_what_a_script_had_printed_is_kept(hood):
    """The program is ended with its tests, and what Python holds back is not lost with it."""
    tasks = hood.file("tasks.jsonl", json.dumps(SCRIPT) + "\n")
    source = "    import sys; print('on one'); print('on two', end='', file=sys.stderr); return 2 * x\n"
    run = evaluate(hood, tasks, hood.file("c.jsonl", json.dumps({"task_id": "S/0", "completion": source}) + "\n"), status=0)
    receipt = json.loads((run.folder / "receipts.jsonl").read_text().splitlines()[0])
    assert receipt["stdout"]["text"] == "on one\n" * 2 and receipt["stderr"]["text"] == "on two" * 2


def test_mbpp_shape(hood):
    task = {"text": "Write a function to add.", "code": "def add(a, b):\n    return a + b\n", "task_id": 7, "test_setup_code": "import math",
            "test_list": ["assert add(1, 2) == 3", "assert add(math.inf, 1) == math.inf"], "challenge_test_list": []}
    run = evaluate(hood, hood.file("mbpp.jsonl", json.dumps(task) + "\n"), "canonical", status=0)
    assert run.summary["passed"] == 1 and str(run.rows[0]["task_id"]).endswith("7")


def test_samples_and_pass_at_k(hood):
    tasks = hood.file("tasks.jsonl", json.dumps(SCRIPT) + "\n" + json.dumps(dict(SCRIPT, task_id="S/1")) + "\n")
    good, bad = "    return 2 * x\n", "    return x\n"
    rows = [("S/0", good), ("S/0", bad), ("S/0", bad), ("S/0", good), ("S/1", bad), ("S/1", bad), ("S/1", bad), ("S/1", good)]
    run = evaluate(hood, tasks, hood.file("c.jsonl", "".join(json.dumps({"task_id": t, "completion": c}) + "\n" for t, c in rows)), status=1)
    assert run.summary["tasks"] == 2 and run.summary["candidates"] == 8 and run.summary["passed"] == 3
    assert abs(run.summary["pass_at"]["1"] - (0.5 + 0.25) / 2) < 1e-9, run.summary["pass_at"]
    assert run.summary["pass_at"].get("10") is None
    assert sorted((row["task_id"], row["sample"]) for row in run.rows) == sorted((t, n % 4) for n, (t, _) in enumerate(rows))


def test_a_gzip_task_set(hood):
    packed = hood.file("tasks.jsonl.gz", gzip.compress((json.dumps(SCRIPT) + "\n").encode()))
    assert evaluate(hood, packed, "canonical", status=0).summary["passed"] == 1


def test_denials_may_fail_a_verdict(hood):
    source = "import socket\ntry: socket.socket(socket.AF_INET)\nexcept OSError: pass\nprint('a')\nprint('b')"
    assert one_stdio(hood, source)["verdict"] == "pass"
    for word in ("fail", "end"):
        hood.folder = hood.folder / word
        policy = hood.policy("strict.yaml", "denials: %s\n" % word)
        row = one_stdio(hood, source, options=["--policy", policy])
        assert row["verdict"] == "violation" and "socket" in row["detail"], row


def test_so_many_denied_calls_are_a_violation(hood):
    source = "import socket\nfor n in range(3):\n  try: socket.socket(socket.AF_INET)\n  except OSError: pass\nprint('a')\nprint('b')"
    for bound, verdict in ((3, "violation"), (4, "pass")):
        hood.folder = hood.folder / str(bound)
        row = one_stdio(hood, source, options=["--policy", hood.policy("bound.yaml", "denied_calls: %d\n" % bound)])
        assert row["verdict"] == verdict and ("after 3 denied calls" in (row["detail"] or "")) == (bound == 3), row


def test_missing_candidates(hood):
    run = evaluate(hood, EXAMPLES / "stdio.jsonl", "none", status=1)
    assert {row["verdict"] for row in run.rows} == {"missing"} and run.summary["passed"] == 0
    assert run.summary["tasks"] == len(run.rows)


# ---------------------------------------------------------------- running many

def sleepers(hood, count, source="import time\ntime.sleep(0.05)\nprint(input())  # %d\n"):
    tasks = hood.file("tasks.jsonl", "".join(json.dumps({"id": "t%03d" % n, "prompt": "p", "stdin": "x\n", "expect": "x\n"}) + "\n" for n in range(count)))
    for n in range(count):
        hood.file("candidates/t%03d.py" % n, source % n)
    return tasks


@pytest.mark.parametrize("jobs", [1, 4])
def test_jobs(hood, jobs):
    run = evaluate(hood, sleepers(hood, 12), hood.folder / "candidates", "--jobs", str(jobs), status=0)
    assert run.summary["passed"] == 12 and len(receipts_of(run.folder)) == 12


def test_jobs_really_run_side_by_side(hood):
    tasks = sleepers(hood, 4, "import time\ntime.sleep(1)\nprint(input())  # %d\n")
    alone = evaluate(hood, tasks, hood.folder / "candidates", "--jobs", "1", out="alone", status=0)
    beside = evaluate(hood, tasks, hood.folder / "candidates", "--jobs", "4", out="beside", status=0)
    assert alone.summary["wall_s"] > 3.9 and beside.summary["wall_s"] < alone.summary["wall_s"] - 1


def workers_of(pid):
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and is_child(int(entry), pid)]


def is_child(pid, parent):
    try:
        return status_field(pid, "PPid") == str(parent)
    except OSError:
        return False


SHOW = "import os, time\ntime.sleep(0.5)\nprint(sorted(os.sched_getaffinity(0)))  # %d\n"


def start_showing(hood, count, jobs, cage, expect, prefix=()):
    """An evaluation of programs that say what processors they may use."""
    tasks = sleepers(hood, count, SHOW)
    rows = [dict(json.loads(line), expect="%s\n" % sorted(expect)) for line in tasks.read_text().splitlines()]
    hood.file("tasks.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    words = hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--jobs", str(jobs), "--cage", cage,
                         "--out", hood.folder / "out")
    return subprocess.Popen([*prefix, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
@pytest.mark.parametrize("spare", [0, 1])
def test_workers_keep_to_a_processor_each_where_none_is_left_over_and_their_guests_do_not(hood, cage, spare):
    all_of_them = os.sched_getaffinity(0)
    need(len(all_of_them) > 1, "one processor only: nobody can keep to one of several")
    jobs = len(all_of_them) - spare
    process = start_showing(hood, 4 * jobs, jobs, cage, all_of_them)
    came = wait_until(lambda: len(workers_of(process.pid)) == jobs and not (hood.folder / "out/summary.json").exists()
                      and all(len(os.sched_getaffinity(pid)) == (len(all_of_them) if spare else 1) for pid in workers_of(process.pid)), 20)
    places = sorted(sorted(os.sched_getaffinity(pid)) for pid in workers_of(process.pid))
    assert process.wait(60) == 0, "a guest is bound"
    assert came and places == ([sorted(all_of_them)] * jobs if spare else sorted([number] for number in all_of_them))
    assert {row["environment"]["cpus"] for row in receipts_of(hood.folder / "out") if "environment" in row} == {len(all_of_them)}


def done_so_far(hood):
    path = hood.folder / "out/results.jsonl"
    return path.read_text().count("\n") if path.exists() else 0


def test_a_new_worker_keeps_to_the_processor_of_the_dead_one(hood):
    all_of_them = os.sched_getaffinity(0)
    need(len(all_of_them) > 1, "one processor only: nobody can keep to one of several")
    process = start_showing(hood, 12 * len(all_of_them), len(all_of_them), "slot", all_of_them)
    assert wait_until(lambda: done_so_far(hood) > len(all_of_them), 20)
    dead = workers_of(process.pid)
    for pid in dead:
        os.kill(pid, signal.SIGKILL)
    wanted = sorted([number] for number in all_of_them)
    seen = wait_until(lambda: not set(dead) & set(workers_of(process.pid))
                      and sorted(sorted(os.sched_getaffinity(pid)) for pid in workers_of(process.pid)) == wanted, 20)
    assert process.wait(60) == 0 and seen


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_guests_follow_a_cpuset_that_changes(hood, nonce, cage):
    """To other processors than before: they may use those, and no run fails for it."""
    top, all_of_them = pathlib.Path("/sys/fs/cgroup/cpuset"), sorted(os.sched_getaffinity(0))
    need(is_root() and (top / "cpuset.mems").exists(), "no cpuset groups of v1 here, or not root: none is changed under a run")
    need(len(all_of_them) > 1, "one processor only: no set of processors can change")
    group = top / ("story-" + nonce)
    group.mkdir()
    try:
        (group / "cpuset.mems").write_text((top / "cpuset.mems").read_text())
        (group / "cpuset.cpus").write_text(str(all_of_them[1]))
        join = ["sh", "-c", 'echo $$ >"$0"/tasks && exec "$@"', str(group)]
        process = start_showing(hood, 12, 1, cage, [all_of_them[0]], join)
        assert wait_until(lambda: done_so_far(hood) >= 2, 20)
        (group / "cpuset.cpus").write_text(str(all_of_them[0]))
        assert process.wait(60) == 1  # the first ones still had the other
        verdicts = [json.loads(line)["verdict"] for line in (hood.folder / "out/results.jsonl").read_text().splitlines()]
        assert set(verdicts) == {"wrong-answer", "pass"} and verdicts[-4:] == ["pass"] * 4, verdicts
    finally:
        assert wait_until(lambda: not (group / "tasks").read_text(), 10)
        group.rmdir()


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "1000000000"])
def test_bad_jobs(hood, jobs):
    run = hood.call("eval", sleepers(hood, 1), "--candidates", hood.folder / "candidates", "--jobs", jobs)
    expect_refusal(run, 2)


def test_ids(hood):
    tasks = sleepers(hood, 12)
    run = evaluate(hood, tasks, hood.folder / "candidates", "--ids", "t00[1-3]", "--ids", "t011", status=0)
    assert sorted(by_task(run)) == ["t001", "t002", "t003", "t011"]
    nothing = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--ids", "zzz*", "--out", hood.folder / "none")
    assert nothing.status == 2, nothing


def test_json_is_the_summary(hood):
    run = hood.call("eval", sleepers(hood, 2), "--candidates", hood.folder / "candidates", "--json", "--out", hood.folder / "out")
    expect_status(run, 0)
    assert SUMMARY_FIELDS <= set(json.loads(run.out))


def test_without_out_each_evaluation_has_a_new_folder(hood):
    tasks = sleepers(hood, 2)
    place = hood.folder / "here"
    place.mkdir()
    for _ in range(2):
        run = expect_status(hood.call("eval", tasks, "--candidates", hood.folder / "candidates", cwd=place), 0)
        assert "fumehood-results/" in run.text + run.said, "does not say where the results are: %r" % run
    assert os.listdir(place) == ["fumehood-results"]
    folders = list((place / "fumehood-results").iterdir())
    assert len(folders) == 2 and all(summary_of(folder)["passed"] == 2 for folder in folders)


def kill_and_resume(hood, tasks, count, number, kills, seed):
    """Start, kill at a random moment, go on; at each step what is written stays."""
    dice = random.Random(seed)
    folder = hood.folder / "out"
    words = ["eval", tasks, "--candidates", hood.folder / "candidates", "--out", folder, "--jobs", "2"]
    kept, resumed = [], False
    for _ in range(kills):
        process = subprocess.Popen(hood.command(*words, *(["--resume"] if resumed else [])), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(dice.uniform(0.02, 0.8))
        process.send_signal(number)
        said = process.communicate(timeout=30)[1]
        assert process.returncode in (-9, 3, 0, 1, 130, 143, 128 + number), (process.returncode, said)
        now = (folder / "results.jsonl").read_text().split("\n")[:-1] if (folder / "results.jsonl").exists() else []
        lost = [line for line in kept if line not in now]
        assert not lost, "seed %d: lost %s" % (seed, lost)
        kept = [line for line in now if json.loads(line)["verdict"] != "skipped"]
        resumed = resumed or folder.exists()
    final = hood.call(*words, *(["--resume"] if resumed else []), timeout=120)
    expect_status(final, 0)
    lines = (folder / "results.jsonl").read_text().splitlines()
    assert all(line in lines for line in kept), "seed %d: a result was lost" % seed
    rows = [row for row in map(json.loads, lines) if row["verdict"] != "skipped"]
    assert sorted(row["task_id"] for row in rows) == ["t%03d" % n for n in range(count)], "seed %d" % seed
    assert summary_of(folder)["passed"] == count
    expect_status(hood.call("receipt", "verify", folder / "receipts.jsonl"), 0)
    runs = [receipt["run_id"] for receipt in receipts_of(folder)]
    assert len(runs) == len(set(runs)) and set(row["run_id"] for row in rows) <= set(runs)
    again = hood.call(*words, "--resume")
    expect_status(again, 0)
    assert (folder / "results.jsonl").read_text().splitlines() == lines, "a finished task ran again"


def test_killed_at_any_moment_and_resumed(hood):
    kill_and_resume(hood, sleepers(hood, 40), 40, signal.SIGKILL, 5, random.randrange(1 << 30))


def test_interrupted_and_resumed(hood):
    kill_and_resume(hood, sleepers(hood, 30), 30, signal.SIGINT, 3, random.randrange(1 << 30))


def test_killing_an_evaluation_kills_its_guests(hood):
    tasks = sleepers(hood, 4, "import time\ntime.sleep(60)  # %d\n")
    policy = hood.policy("marked.yaml", "environment:\n  STORY_NONCE: %s\n" % hood.nonce)
    groups = own_cgroups()
    process = subprocess.Popen(hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--limit", "wall_ms=60s", "--jobs", "2",
                                            "--policy", policy, "--out", hood.folder / "out"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    came = wait_until(lambda: len(hood.guests()) >= 2, 10)
    process.kill()
    process.wait(20)
    assert came, "no guest came up"
    assert wait_until(lambda: not processes_with(hood.nonce), 5), "alive: %s" % processes_with(hood.nonce)
    expect_next_start_clears(hood, groups)


def test_a_full_disk_is_said_and_gone_on_after(hood, small_disk):
    """Whole lines only, a result never without its receipt, and room is all that was missing."""
    disk, count = small_disk(96 << 10), 60
    tasks = sleepers(hood, count, "print(input())  # %d\n")
    words = ["eval", tasks, "--candidates", hood.folder / "candidates", "--out", disk / "out", "--jobs", "2"]
    run = hood.call(*words)
    assert run.status == 3, run
    expect_one_line(run, "No space left on device", "make room, then go on with --resume")
    assert (disk / "out" / "receipts.jsonl").read_bytes()[-1:] in (b"\n", b""), "a torn line"
    runs = {receipt["run_id"] for receipt in receipts_of(disk / "out")}
    assert {row["run_id"] for row in results_of(disk / "out")} <= runs and len(runs) < count
    subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
    again = hood.call(*words, "--resume")
    expect_status(again, 0)
    assert summary_of(disk / "out")["passed"] == count
    expect_status(hood.call("receipt", "verify", disk / "out" / "receipts.jsonl"), 0)


def test_what_is_finished_is_soon_on_the_disk(hood):
    """Lines wait for others, but not for long: a result can be read while the next one runs."""
    tasks = sleepers(hood, 2, "import time\ntime.sleep(3 * %d)\nprint(input())\n")
    process = subprocess.Popen(hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out",
                                            "--jobs", "1"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = hood.folder / "out" / "results.jsonl"
    assert wait_until(lambda: results.exists() and len(results_of(hood.folder / "out")) == 1, 2), "it waits for the next one"
    assert len(receipts_of(hood.folder / "out")) == 1 and process.poll() is None
    assert process.wait(30) == 0


def test_what_others_speak_of_is_on_the_disk_first(hood, strace):
    """Objects, then receipts, then results; whether the disk has them only a power failure would show."""
    tasks, log = sleepers(hood, 4), hood.folder / "calls"
    words = hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out")
    done = subprocess.run(["strace", "-y", "-o", str(log), "-e", "trace=fsync,fdatasync,syncfs", *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=60, check=False)
    calls = [line.split("(")[0] + " " + line.split("/")[-1].split(">")[0] for line in log.read_text().splitlines() if ">" in line]
    calls = [call for call in calls if not call.endswith(".tmp")]  # what is put in place in one step, the summary at the end
    assert done.returncode == 0 and calls[-3:] == ["syncfs receipts.jsonl", "fdatasync receipts.jsonl", "fdatasync results.jsonl"], calls


def test_the_same_bytes_are_one_object(hood):
    tasks = sleepers(hood, 12, "print(input())  # the same: %.0s\n")
    run = evaluate(hood, tasks, hood.folder / "candidates", status=0)
    assert {path.name for path in (run.folder / "objects").iterdir()} == {row["code_sha256"] for row in run.rows}
    assert len(list((run.folder / "objects").iterdir())) == 1


def test_a_torn_last_line_is_mended(hood):
    tasks = sleepers(hood, 5)
    run = evaluate(hood, tasks, hood.folder / "candidates", status=0)
    for name in ("results.jsonl", "receipts.jsonl"):
        data = (run.folder / name).read_bytes()
        (run.folder / name).write_bytes(data[:-30])
    again = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", run.folder, "--resume")
    expect_status(again, 0)
    assert sorted(row["task_id"] for row in results_of(run.folder)) == ["t%03d" % n for n in range(5)]
    expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)


@pytest.mark.parametrize("what", ["policy", "candidates", "cage"])
def test_resume_with_another_question_is_refused(hood, what):
    tasks = sleepers(hood, 3)
    evaluate(hood, tasks, hood.folder / "candidates", status=0)
    words = ["eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--resume"]
    if what == "policy":
        words += ["--limit", "wall_ms=3s"]
    elif what == "cage":
        words += ["--fresh"]
    else:
        hood.file("candidates/t001.py", "print('other')")
    expect_refusal(hood.call(*words), 2, "out")


def test_resume_with_changed_tasks_is_refused_or_told(hood):
    tasks = sleepers(hood, 3)
    evaluate(hood, tasks, hood.folder / "candidates", status=0)
    tasks.write_text(tasks.read_text().replace('"expect": "x\\n"', '"expect": "y\\n"'))
    again = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--resume")
    assert again.status == 2 or (again.status == 1 and summary_of(hood.folder / "out")["passed"] == 0), "old results taken for new ones: %r" % again


# ---------------------------------------------------------------- evidence

def test_receipts_of_an_evaluation_are_whole_and_chained(hood):
    run = evaluate(hood, sleepers(hood, 6), hood.folder / "candidates", status=0)
    previous = None
    for line in (run.folder / "receipts.jsonl").read_text().splitlines():
        receipt = json.loads(line)
        expect_whole_receipt(receipt)
        expect_protected(receipt)
        claimed, made = receipt_hash(line)
        assert claimed == made and receipt["previous_sha256"] == previous
        previous = claimed
    by_id = {receipt["run_id"]: receipt for receipt in receipts_of(run.folder)}
    for row in run.rows:
        assert by_id[row["run_id"]]["ending"]["kind"] == "exited"
    assert run.summary["policy_sha256"] == receipts_of(run.folder)[0]["policy"]["sha256"]


def test_changing_one_byte_is_found(hood):
    run = evaluate(hood, sleepers(hood, 4), hood.folder / "candidates", status=0)
    path = run.folder / "receipts.jsonl"
    good = path.read_bytes()
    expect_status(hood.call("receipt", "verify", path), 0)
    dice = random.Random(11)
    for _ in range(25):
        at = dice.randrange(len(good))
        changed = bytes([good[at] ^ 1])
        if good[at:at + 1] == b"\n" and at == len(good) - 1:
            continue
        path.write_bytes(good[:at] + changed + good[at + 1:])
        assert hood.call("receipt", "verify", path).status == 1, "byte %d: %r -> %r" % (at, good[at - 20:at + 20], changed)
    lines = good.splitlines(True)
    for name, content in {"first gone": lines[1:], "middle gone": lines[:1] + lines[2:], "swapped": [lines[1], lines[0]] + lines[2:],
                          "twice": lines[:2] + lines[1:], "torn": [good[:-40]], "empty": []}.items():
        path.write_bytes(b"".join(content))
        verdict = hood.call("receipt", "verify", path)
        assert verdict.status in ((1, 2) if name == "empty" else (1,)), name
    path.write_bytes(good)
    expect_status(hood.call("receipt", "verify", path), 0)


def test_the_line_of_a_changed_receipt_is_said(hood):
    run = evaluate(hood, sleepers(hood, 4), hood.folder / "candidates", status=0)
    path = run.folder / "receipts.jsonl"
    lines = path.read_text().splitlines(True)
    lines[2] = lines[2].replace('"exit_code":0', '"exit_code":1')
    path.write_text("".join(lines))
    verdict = hood.call("receipt", "verify", path)
    assert verdict.status == 1 and re.search(r"receipts\.jsonl:3", verdict.said + verdict.text), verdict


def rewrite(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def mixed(hood):
    """Six tasks, the last of which fails."""
    tasks = sleepers(hood, 6)
    hood.file("candidates/t005.py", "print('wrong')")
    return tasks, evaluate(hood, tasks, hood.folder / "candidates", status=1)


def test_a_receipt_has_the_verdict(hood):
    _, run = mixed(hood)
    said = {receipt["run_id"]: receipt["eval"] for receipt in receipts_of(run.folder)}
    for row in run.rows:
        for key in ("task_id", "sample", "verdict", "fault", "detail", "code_sha256"):
            assert said[row["run_id"]][key] == row[key], (key, row)
    last = receipts_of(run.folder)[-1]
    assert (run.summary["receipts"], run.summary["receipts_head"]) == (6, last["sha256"])
    verdict = expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)
    assert "6 results" in verdict.text and last["sha256"] in verdict.text


@pytest.mark.parametrize("what", ["verdict", "detail", "time", "code", "new", "receipt gone", "no run"])
def test_changed_results_are_found_and_not_gone_on_with(hood, what):
    tasks, run = mixed(hood)
    results, receipts = run.folder / "results.jsonl", run.folder / "receipts.jsonl"
    wrong = next(row for row in run.rows if row["verdict"] == "wrong-answer")
    line = next(line for line in results.read_text().splitlines(True) if "wrong-answer" in line)
    if what == "receipt gone":
        receipts.write_text("".join(receipts.read_text().splitlines(True)[:-1]))
    elif what == "new":
        results.write_text(results.read_text() + line.replace(wrong["run_id"], "0" * 32))
    else:
        old, new = {"verdict": ('"wrong-answer"', '"pass"'), "detail": ('of its output differs', 'of its output is right'), "code": (wrong["code_sha256"], "0" * 64),
                    "time": ('"wall_us":', '"wall_us":1'), "no run": ('"%s"' % wrong["run_id"], "null")}[what]
        rewrite(results, line, line.replace(old, new))
    before = results.read_bytes(), receipts.read_bytes(), (run.folder / "summary.json").read_bytes()
    verdict = hood.call("receipt", "verify", receipts)
    assert verdict.status == 1 and re.search(r"results\.jsonl:\d+: ", verdict.said), verdict
    again = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", run.folder, "--resume")
    expect_refusal(again, 2, r"results\.jsonl:\d+: ")
    assert before == (results.read_bytes(), receipts.read_bytes(), (run.folder / "summary.json").read_bytes())


def test_resume_on_a_changed_chain_is_refused(hood):
    tasks, run = mixed(hood)
    rewrite(run.folder / "receipts.jsonl", '"exit_code":0', '"exit_code":1')
    expect_refusal(hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", run.folder, "--resume"), 2, r"receipts\.jsonl:1")


def test_a_receipt_without_its_result_is_gone_on_with(hood):
    tasks, run = mixed(hood)
    lines = (run.folder / "results.jsonl").read_text().splitlines(True)
    (run.folder / "results.jsonl").write_text("".join(lines[:-1]))
    again = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", run.folder, "--resume")
    expect_status(again, 1)
    assert len(results_of(run.folder)) == 6 and len(receipts_of(run.folder)) == 7
    assert "6 results, 5 of them from before; now 1 run in" in again.text
    expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)
    again = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", run.folder, "--resume")
    summary = summary_of(run.folder)
    assert (summary["results"], summary["resumed"], summary["runs"], summary["receipts"]) == (6, 6, 0, 7)


def test_a_receipt_by_its_run(hood):
    _, run = mixed(hood)
    receipts, row = run.folder / "receipts.jsonl", run.rows[2]
    shown = expect_status(hood.call("receipt", "show", "--run", row["run_id"][:20], receipts), 0)
    assert row["run_id"] in shown.text
    assert json.loads(hood.call("receipt", "show", "--json", "--run", row["run_id"], receipts).out)["run_id"] == row["run_id"]
    expect_refusal(hood.call("receipt", "show", "--run", "zz", receipts), 2, "no receipt whose run_id")
    expect_refusal(hood.call("receipt", "show", "--run", row["run_id"], "--index", "1", receipts), 2, "give one")


def test_a_receipt_by_its_number(hood):
    _, run = mixed(hood)
    receipts = run.folder / "receipts.jsonl"
    ids = [receipt["run_id"] for receipt in receipts_of(run.folder)]

    def shown(*options):
        return json.loads(expect_status(hood.call("receipt", "show", "--json", *options, receipts), 0).out)["run_id"]

    assert shown() == ids[-1]
    assert [shown("--index", str(at + 1)) for at in range(len(ids))] == ids
    expect_refusal(hood.call("receipt", "show", "--index", "7", receipts), 2, "has no receipt 7, the last is 6")
    twice = hood.file("twice.jsonl", receipts.read_bytes() * 2)
    expect_refusal(hood.call("receipt", "show", "--run", ids[1], twice), 2, "in lines 2 and 8")
    expect_refusal(hood.call("receipt", "show", hood.file("empty.jsonl", b"\n\n")), 2, "holds no receipt")


def test_coverage_is_of_tasks(hood):
    tasks = sleepers(hood, 4)
    assert evaluate(hood, tasks, "none", out="none", status=1).summary["coverage"] == 0
    (hood.folder / "candidates/t003.py").unlink()
    hood.file("candidates/t002.sh", "cat")
    assert evaluate(hood, tasks, hood.folder / "candidates", status=1).summary["coverage"] == 0.75


def test_only_failures_are_listed_where_rows_are_many(hood):
    tasks = hood.file("tasks.jsonl", "".join(json.dumps(dict(SCRIPT, task_id="S/%d" % n)) + "\n" for n in range(60)))
    hood.file("c.jsonl", "".join(json.dumps({"task_id": "S/%d" % n, "solution": "" if n else "def double(x):\n    raise ValueError"}) + "\n" for n in range(59)))
    run = evaluate(hood, tasks, hood.folder / "c.jsonl", status=1)
    rows = [line for line in run.text.splitlines() if line.startswith("S/")]
    assert len(rows) == 40 and "ValueError" in rows[0] and "and 20 more that did not pass; why, by groups: fumehood results " in run.text
    few = evaluate(hood, tasks, "canonical", "--ids", "S/1*", out="few", status=0)
    assert len([line for line in few.text.splitlines() if line.startswith("S/")]) == 11


def test_a_folder_of_something_else_is_left_alone(hood):
    tasks = sleepers(hood, 1)
    hood.file("mine/letter.txt", "dear")
    words = ["eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "mine"]
    expect_refusal(hood.call(*words), 2, "letter.txt")
    expect_refusal(hood.call(*words, "--resume"), 2, "letter.txt")
    assert os.listdir(hood.folder / "mine") == ["letter.txt"]
    (hood.folder / "mine/letter.txt").unlink()
    expect_status(hood.call(*words), 0)


def test_details_name_the_users_file_and_the_last_words(hood):
    row = one_stdio(hood, "raise ValueError('so')")
    assert row["detail"] == "exit status 1: ValueError: so"
    hood.folder = hood.folder / "call"
    _, run = one_call(hood, "def (", [{"name": "c", "input": 0, "expect": 1}])
    assert "t.py" in run.rows[0]["detail"] and "candidate.py" not in run.rows[0]["detail"], run.rows


def test_names_of_candidates(hood):
    tasks = hood.file("tasks.jsonl", json.dumps({"task_id": 2, "text": "t", "code": "x = 1", "test_list": ["assert x == 1"]}) + "\n")
    hood.file("candidates/2.py", "x = 1")
    evaluate(hood, tasks, hood.folder / "candidates", status=0)
    hood.file("other/two.py", "x = 1")
    run = hood.call("eval", tasks, "--candidates", hood.folder / "other", "--out", hood.folder / "no")
    expect_refusal(run, 2, r"two\.py.*MBPP_2\.py")


def test_the_language_of_a_line_counts(hood):
    tasks = hood.file("tasks.json", json.dumps(ECHO))
    answers = hood.file("c.jsonl", json.dumps({"task_id": "echo", "solution": "cat", "language": "bash"}) + "\n")
    evaluate(hood, tasks, answers, status=0)
    answers.write_text(json.dumps({"task_id": "echo", "solution": "cat", "language": "cobol"}) + "\n")
    hood.folder = hood.folder / "other"
    run = evaluate(hood, tasks, answers, status=1)
    assert run.rows[0]["verdict"] == "compile-error" and "cobol" in run.rows[0]["detail"], run.rows


def test_canonical_without_solutions_is_told(hood):
    run = evaluate(hood, hood.file("tasks.json", json.dumps(ECHO)), "canonical", status=1)
    assert "1 of 1 tasks comes without a solution" in run.said


def test_an_interrupted_evaluation_counts_what_it_judged(hood):
    tasks = sleepers(hood, 30, "import time\ntime.sleep(0.3)\nprint(input())  # %d\n")
    process = subprocess.Popen(hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--jobs", "1"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: (hood.folder / "out/results.jsonl").exists() and len(results_of(hood.folder / "out")) >= 2, 20)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=30)[0].decode()
    summary = summary_of(hood.folder / "out")
    assert process.returncode == 3 and summary["interrupted"] and summary["coverage"] == 1.0
    assert "%d of %d judged passed (100.0 %%), %d not run" % (summary["judged"], summary["judged"], 30 - summary["judged"]) in said, said


def test_the_exact_bytes_are_kept(hood):
    source = b"print(input())  # \xc3\xa9 trailing blanks   \r\n"
    tasks = hood.file("tasks.json", json.dumps([{"id": "a", "prompt": "p", "stdin": "x\n", "expect": "x\n"}]))
    hood.file("candidates/a.py", source)
    run = evaluate(hood, tasks, hood.folder / "candidates", status=0)
    assert run.rows[0]["code_sha256"] == hashlib.sha256(source).hexdigest()
    assert (run.folder / "objects" / run.rows[0]["code_sha256"]).read_bytes() == source


# ---------------------------------------------------------------- public data

def public(*parts):
    path = DATA.joinpath(*parts)
    need(path.exists(), "public data is not here (%s): set FUMEHOOD_DATA" % path)
    return path


def test_humaneval_canonical(hood):
    run = evaluate(hood, public("human-eval", "HumanEval.jsonl.gz"), "canonical", status=0)
    assert (run.summary["tasks"], run.summary["passed"]) == (164, 164)
    assert run.summary["pass_at"]["1"] == 1.0


def test_mbpp_canonical_in_part(hood):
    """A tenth of it; the whole is for release day."""
    run = evaluate(hood, public("mbpp", "mbpp.jsonl"), "canonical", "--ids", "*7", status=0)
    assert run.summary["passed"] == run.summary["tasks"] >= 90


def test_humaneval_without_candidates(hood):
    run = evaluate(hood, public("human-eval", "HumanEval.jsonl.gz"), "none", status=1)
    assert len(run.rows) == 164 and {row["verdict"] for row in run.rows} == {"missing"}


@pytest.mark.parametrize("source", ["pass\n", ""])
def test_humaneval_null_candidates_all_fail(hood, source):
    tasks = public("human-eval", "HumanEval.jsonl.gz")
    for line in gzip.open(tasks, "rt"):
        hood.file("candidates/%s.py" % json.loads(line)["task_id"].replace("/", "_"), source)
    run = evaluate(hood, tasks, hood.folder / "candidates", status=1)
    assert run.summary["passed"] == 0 and len(run.rows) == 164
    assert run.summary["infra_errors"] == 0


def test_humaneval_real_candidates_in_part(hood):
    tasks, candidates, golden = (public("human-eval", "HumanEval.jsonl.gz"), public("completions", "humaneval-ldb-gpt-3.5-turbo-0613.jsonl.gz"),
                                 public("golden", "humaneval_ldb_gpt-3.5-turbo-0613.jsonl"))
    run = evaluate(hood, tasks, candidates, "--ids", "HumanEval/1[0-9]", "--ids", "HumanEval/?", "--limit", "wall_ms=5s")
    wanted = {row["task_id"]: row["verdict"] for row in map(json.loads, golden.read_text().splitlines())}
    wrong = [(row["task_id"], row["verdict"], wanted[row["task_id"]]) for row in run.rows if (row["verdict"] == "pass") != (wanted[row["task_id"]] == "pass")]
    assert len(run.rows) == 20 and not wrong, wrong


BROKEN_TESTS = {
    "unclosed": "def check(candidate):\n    assert candidate(2) == (4\n",
    "no expression": "def check(candidate):\n    assert candidate(2) ==\n",
    "indented": "    def check(candidate):\n        assert candidate(2) == 4\n",
    "open text": 'def check(candidate):\n    """\n    assert candidate(2) == 4\n',
    "no body": "def check(candidate):\n",
    "late future": "from __future__ import annotations\ndef check(candidate):\n    assert candidate(2) == 4\n",
    "too deep": "def check(candidate):\n    assert " + "-" * 20000 + "candidate(2) == 4\n",
    "return outside": "return\ndef check(candidate):\n    assert candidate(2) == 4\n",
}


@pytest.mark.parametrize("tests", BROKEN_TESTS.values(), ids=BROKEN_TESTS)
def test_tests_that_do_not_compile_are_the_tasks_fault(hood, tests):
    """Whatever the candidate is: right, wrong, no program itself, or out to look like it."""
    samples = ["    return 2 * x\n", "    return 1\n", "    return (\n", "    import os; os._exit(1)\n", "    return 2 * x\nraise SyntaxError\n"]
    tasks = [dict(SCRIPT, test=tests), dict(SCRIPT, task_id="S/1", prompt="# the other\n" + SCRIPT["prompt"])]
    rows = [{"task_id": task["task_id"], "completion": code} for task in tasks for code in samples]
    run = evaluate(hood, hood.file("tasks.jsonl", as_lines(tasks)), hood.file("c.jsonl", as_lines(rows)), status=1)
    found = {(row["task_id"], row["sample"]): row for row in run.rows}
    for sample in range(len(samples)):
        row = found["S/0", sample]
        assert row["verdict"] == "task-invalid" and row["fault"] == "task" and row["run_id"], row
        assert row["detail"].startswith("the tests do not compile: "), row
    assert [found["S/1", sample]["verdict"] for sample in range(len(samples))] == [
        "pass", "wrong-answer", "compile-error", "runtime-error", "runtime-error"]
    summary = run.summary
    assert summary["judged"] == 5 and summary["by_verdict"]["task-invalid"] == 5 and abs(summary["pass_at"]["1"] - 0.2) < 1e-9
    assert checks_of(run.folder) == [("S/0", False), ("S/1", True)]
    expect_status(hood.call("receipt", "verify", run.folder), 0)


def test_a_line_of_the_tests_that_is_no_python_is_named(hood):
    task = {"text": "Add.", "code": "def add(a, b):\n    return a + b\n", "task_id": 7, "test_setup_code": "import math",
            "test_list": ["assert add(1, 2) == 3", "assert add(2, 2) == 4)"]}
    run = evaluate(hood, hood.file("mbpp.jsonl", as_lines([task])), "canonical", status=1)
    assert run.rows[0]["verdict"] == "task-invalid" and "assert add(2, 2) == 4)" in run.rows[0]["detail"], run.rows
    assert "1 of a task that is itself wrong" in run.text and run.summary["pass_at"] == {"1": None, "10": None, "100": None}


def test_no_run_of_the_tests_alone_where_programs_compile(hood):
    tasks, codes = hood.file("tasks.jsonl", as_lines([SCRIPT])), ["    return 2 * x\n", "    return x\n", "    return 1 / 0\n"]
    rows = hood.file("c.jsonl", as_lines([{"task_id": "S/0", "completion": code} for code in codes]))
    run = evaluate(hood, tasks, rows, status=1)
    assert run.summary["runs"] == 3 and checks_of(run.folder) == []


def test_a_task_is_wrong_only_where_a_run_has_found_it(hood):
    """The receipt that says so is changed, with all that follows from it: the verdict has nothing to stand on."""
    task = dict(SCRIPT, test="def check(candidate):\n    assert candidate(2) == (4\n")
    run = evaluate(hood, hood.file("tasks.jsonl", as_lines([task])), "canonical", status=1)
    path = run.folder / "receipts.jsonl"
    receipts = [load_exact(line) for line in path.read_text().splitlines()]
    assert [receipt["eval"].get("check") for receipt in receipts] == ["tests", None]
    expect_status(hood.call("receipt", "verify", run.folder), 0)
    receipts[0]["eval"]["compiles"] = True
    for i, receipt in enumerate(receipts):
        receipt["previous_sha256"] = receipts[i - 1]["sha256"] if i else receipt["previous_sha256"]
        receipt["sha256"] = receipt_hash(canonical(receipt))[1]
    path.write_text("".join(canonical(receipt) + "\n" for receipt in receipts))
    run = hood.call("receipt", "verify", run.folder)
    assert run.status == 1 and "task-invalid" in run.said and "no run before it" in run.said, run


def test_what_was_found_of_tests_is_found_again_where_it_is_gone_on_with(hood):
    task = dict(SCRIPT, test="def check(candidate):\n    assert candidate(2) == (4\n")
    tasks, codes = hood.file("tasks.jsonl", as_lines([task])), ["    return 2 * x\n", "    return x\n", "    return (\n"]
    rows = hood.file("c.jsonl", as_lines([{"task_id": "S/0", "completion": code} for code in codes]))
    before = evaluate(hood, tasks, rows, "--jobs", "1", status=1)
    shown = hood.call("receipt", "show", before.folder, "--task", "S/0", "--sample", "1")
    assert shown.status == 0 and "task-invalid" in shown.text, shown
    lines = (before.folder / "results.jsonl").read_text().splitlines(True)
    (before.folder / "results.jsonl").write_text("".join(lines[:-1]))
    receipts = (before.folder / "receipts.jsonl").read_text().splitlines(True)
    (before.folder / "receipts.jsonl").write_text("".join(receipts[:-1]))
    after = evaluate(hood, tasks, rows, "--resume", status=1)
    assert [row["verdict"] for row in after.rows] == ["task-invalid"] * 3 and after.summary["resumed"] == 2
    assert checks_of(after.folder) == [("S/0", False)] * 2
    expect_status(hood.call("receipt", "verify", after.folder), 0)


def as_lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def checks_of(folder):
    """What runs of tests alone have found: tasks, and whether their tests compile."""
    receipts = [json.loads(line)["eval"] for line in (folder / "receipts.jsonl").read_text().splitlines()]
    return sorted((said["task_id"], said["compiles"]) for said in receipts if said.get("check") == "tests")
