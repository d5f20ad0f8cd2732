"""Task sets and candidates as others write them: judged by all that the set says, or refused by name."""
import gzip
import json
import os
import subprocess
import time

import pytest

from hood import *
from test_eval import SCRIPT, evaluate, one_call, one_stdio, public, sleepers

STDIO = {"id": "t", "prompt": "p", "stdin": "", "expect": "x\n"}


def refused(hood, tasks, candidates, pattern, status=2):
    expect_refusal(hood.call("eval", tasks, "--candidates", candidates, "--out", hood.folder / "no"), status, pattern)


def lines(hood, name, *rows):
    return hood.file(name, "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))


# ---------------------------------------------------------------- keys

@pytest.mark.parametrize("key,value", [
    ("suffix", "    return 1\n"), ("plus_input", [[1]]), ("base_input", [[1]]), ("contract", "assert x"), ("atol", 1e-6),
    ("test_imports", ["import math"]), ("checker", "x"), ("special_judge", True), ("timeout", 3), ("hiddenTests", ["x"]),
    ("memory_limit_bytes", 5), ("fn_name", "f"), ("stdin", "1")])
def test_a_key_that_changes_what_is_judged_is_refused_by_its_name(hood, key, value):
    refused(hood, lines(hood, "tasks.jsonl", dict(SCRIPT, **{key: value})), "canonical", '"%s" may change what is judged' % key)


@pytest.mark.parametrize("key,value", [
    ("difficulty", "easy"), ("source_file", "a.ipynb"), ("contest_date", "2024"), ("latest", 1), ("meta", {"test": 1}), ("text", "t"),
    ("suffix", ""), ("suffix", None), ("plus_input", []), ("unknown", 7), ("example_test", "x")])
def test_a_key_that_means_nothing_for_judging_is_passed_over(hood, key, value):
    evaluate(hood, lines(hood, "tasks.jsonl", dict(SCRIPT, **{key: value})), "canonical", status=0)


def test_all_the_assertions_of_a_set_count(hood):
    task = {"task_id": 7, "code": "def f(x):\n    return x\n", "test_list": ["assert f(1) == 1"], "test": "assert f(2) == 3\n"}
    assert evaluate(hood, lines(hood, "t.jsonl", task), "canonical", status=1).rows[0]["verdict"] == "wrong-answer"


PUBLIC = [
    ("cruxeval/cruxeval.jsonl.gz", '"output"'), ("humanevalplus/HumanEvalPlus-Mini.jsonl.gz", '"base_input" .EvalPlus'),
    ("humanevalplus/HumanEvalPlus-NoExtreme.jsonl.gz", '"contract"'), ("infilling/HumanEval-MultiLineInfilling.jsonl.gz", '"suffix"'),
    ("infilling/HumanEval-RandomSpanInfillingLight.jsonl.gz", '"suffix"'), ("infilling/HumanEval-SingleLineInfilling.jsonl.gz", '"suffix"'),
    ("infilling/example_problem.jsonl", '"suffix"'), ("infilling/example_samples.jsonl", "a file of candidates"),
    ("mbxp/mbjsp_release_v1.2.jsonl.gz", 'tests in "javascript" are not judged'), ("quixbugs/json_testcases/gcd.json", "not a JSON object"),
    *(("humaneval-x/humaneval_%s.jsonl.gz" % name, '"declaration" .HumanEval-X') for name in "cpp go java js python rust".split()),
    *(("multipl-e/humaneval-%s.jsonl.gz" % name, '"tests" .MultiPL-E') for name in "cpp go java js lua pl rb rs sh ts".split()),
]


@pytest.mark.parametrize("path,pattern", PUBLIC)
def test_public_sets_that_are_not_judged_are_refused_by_what_is_not_understood(hood, path, pattern):
    refused(hood, public(*path.split("/")), "none", pattern)


def test_leetcode_canonical_in_part(hood):
    run = evaluate(hood, public("leetcode", "LeetCodeDataset-v0.2.0-test.jsonl.gz"), "canonical", "--ids", "c*", status=0)
    assert run.summary["passed"] == run.summary["tasks"] >= 20


def test_mbpp_plus_canonical_in_part(hood):
    need(subprocess.run([PYTHON, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0,
         "python3-numpy is not installed: the tests of MBPP+ import it")
    run = evaluate(hood, public("mbppplus", "MbppPlus-OriginFmt.jsonl.gz"), "canonical", "--ids", "MBPP/1[0-3]?", status=0)
    assert run.summary["passed"] == run.summary["tasks"] >= 20


# ---------------------------------------------------------------- null

def test_null_is_absent(hood):
    task = dict(STDIO, stdin=None, language=None, canonical=None, title=None)
    answers = lines(hood, "c.jsonl", {"task_id": "t", "completion": None, "solution": "print('x')", "language": None, "samples": None})
    evaluate(hood, lines(hood, "tasks.jsonl", task), answers, status=0)
    hood.folder = hood.folder / "call"
    found, _ = one_call(hood, "def solution(*x):\n    return list(x)\n",
                        [{"name": None, "input": None, "args": [7], "expect": [7]}, {"name": "n", "input": None, "args": None, "expect": [None]}],
                        entry_point=None, canonical=None)
    assert set(found.values()) == {"pass"}, found
    hood.folder = hood.folder / "script"
    script = dict(SCRIPT, canonical_solution=None, language=None)
    run = evaluate(hood, lines(hood, "tasks.jsonl", script), "canonical", status=1)
    assert run.rows[0]["verdict"] == "missing"


# ---------------------------------------------------------------- odd samples

ODD = ["\\ud83d", "\\udc00\\ud83d", "\\u0000", "\xff"]


@pytest.mark.parametrize("kind", ["stdio", "call", "script"])
def test_an_odd_sample_is_its_own_verdict(hood, kind):
    """Whatever the interpreter says of it; the others have theirs."""
    good = {"stdio": "print('x')\\n", "call": "def solution(x):\\n    return x\\n", "script": "    return 2 * x\\n"}[kind]
    task = {"stdio": STDIO, "call": {"id": "t", "cases": [{"input": 1, "expect": 1}]}, "script": dict(SCRIPT, task_id="t")}[kind]
    rows = ['{"task_id": "t", "completion": "%s# %s"}' % (good, odd) for odd in ODD]
    rows += ['{"task_id": "t", "completion": "%s", "logprob": %s}' % (good, odd) for odd in ("NaN", "-Infinity", "1e999", '"\\ud800"', '["\xff"]')]
    rows += ['{"task_id": "t", "completion": NaN}', '{"task_id": "t", "completion": "%s"}' % good]
    answers = hood.file("c.jsonl", "\n".join(rows).encode("latin-1") + b"\n")
    run = evaluate(hood, lines(hood, "tasks.jsonl", task), answers, status=1)
    verdicts = {row["sample"]: row["verdict"] for row in run.rows}
    odd = {verdicts[n] for n in range(len(ODD))}
    assert odd <= ({"compile-error", "pass"} if kind != "stdio" else {"compile-error", "runtime-error", "pass"}), run.rows
    assert [verdicts[n] for n in range(len(ODD), len(ODD) + 7)] == ["pass"] * 5 + ["no-code", "pass"], verdicts
    expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)


def test_odd_files_of_a_folder_are_their_own_verdict(hood):
    tasks = lines(hood, "tasks.jsonl", *({"id": name, "cases": [{"input": 1, "expect": 1}]} for name in ("a", "b", "c", "d")))
    good = b"def solution(x):\n    return x\n"
    for name, content in {"a": b"\xff" + good, "b": good + b"# \0", "c": good + b"#" * (17 << 20), "d": good}.items():
        hood.file("candidates/%s.py" % name, content)
    run = evaluate(hood, tasks, hood.folder / "candidates", status=1)
    assert {row["task_id"]: row["verdict"] for row in run.rows} == {"a": "compile-error", "b": "compile-error", "c": "limit", "d": "pass"}


def test_an_enormous_sample_is_its_own_verdict(hood):
    rows = [{"task_id": "t", "completion": "#" * (17 << 20)}, {"task_id": "t", "completion": "print('x')"}]
    run = evaluate(hood, lines(hood, "tasks.jsonl", STDIO), lines(hood, "c.jsonl", *rows), status=1)
    assert [row["verdict"] for row in sorted(run.rows, key=lambda row: row["sample"])] == ["limit", "pass"]


def test_what_a_task_says_oddly_where_it_counts_is_refused(hood):
    refused(hood, hood.file("a.jsonl", '{"id": "t", "cases": [{"input": 1, "expect": NaN}]}\n'), "none", "cases: has a number that is not finite")
    refused(hood, hood.file("b.jsonl", '{"id": "t", "expect": "\\ud83d"}\n'), "none", "expect: has half of a surrogate pair")


# ---------------------------------------------------------------- files that change meanwhile

def start(hood, tasks, candidates, *more):
    words = hood.command("eval", tasks, "--candidates", candidates, "--out", hood.folder / "out", "--jobs", "1", *more)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    results = hood.folder / "out/results.jsonl"
    assert wait_until(lambda: results.exists() and results.read_text().count("\n") >= 2, 20)
    return process


SLOW = "import time\ntime.sleep(0.3)\nprint(input())  # %d\n"


@pytest.mark.parametrize("what", ["changed", "gone", "more"])
def test_a_folder_of_candidates_that_changes_is_noticed(hood, what):
    tasks = sleepers(hood, 12, SLOW)
    if what == "more":
        (hood.folder / "candidates/t011.py").unlink()
    process = start(hood, tasks, hood.folder / "candidates")
    path = hood.folder / "candidates/t010.py"
    if what == "changed":
        path.write_text("print('other')")
    elif what == "gone":
        path.unlink()
    else:
        path.write_text("print('more')")
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode in (2, 3) and "t010" in said, said
    if what == "changed":
        assert process.returncode == 3 and "changed while the evaluation ran" in said and '"t010"' in said, said
        path.write_text(SLOW % 10)
        expect_status(hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--resume"), 0)
    assert all(row["verdict"] == "pass" for row in results_of(hood.folder / "out"))


@pytest.mark.parametrize("what", ["appended", "cut", "overwritten"])
def test_a_file_of_candidates_that_changes_is_noticed(hood, what):
    tasks = lines(hood, "tasks.jsonl", *(dict(STDIO, id="t%d" % n) for n in range(8)))
    pad = "#" * 60000
    rows = [{"task_id": "t%d" % n, "completion": "import time; time.sleep(0.3); print('x')" + pad} for n in range(8)]
    answers = lines(hood, "c.jsonl", *rows)
    process = start(hood, tasks, answers)
    if what == "appended":
        with open(answers, "a") as file:
            file.write(json.dumps(rows[0]) + "\n")
    elif what == "cut":
        with open(answers, "r+") as file:
            file.truncate(len(json.dumps(rows[0])) * 6 + 6)
    else:
        with open(answers, "r+") as file:
            file.seek(answers.stat().st_size - 10)
            file.write("/")
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 3 and "c.jsonl: changed while the evaluation ran" in said, said
    assert not (hood.folder / "out/summary.json").exists()


def test_a_file_that_is_replaced_was_read_before(hood):
    tasks = sleepers(hood, 6, SLOW)
    answers = lines(hood, "c.jsonl", *({"task_id": "t%03d" % n, "solution": SLOW % n} for n in range(6)))
    process = start(hood, tasks, answers)
    os.rename(hood.file("new.jsonl", "{}\n"), answers)
    tasks.write_text("{}")
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 0 and summary_of(hood.folder / "out")["passed"] == 6, said


# ---------------------------------------------------------------- said at load

def test_what_no_output_could_be_is_said_before_anything_runs(hood):
    long = "y" * 5000
    tasks = lines(hood, "tasks.jsonl", STDIO, dict(STDIO, id="long", expect=long + "  \n\n"))
    words = ["eval", tasks, "--candidates", "none", "--out", hood.folder / "no"]
    expect_refusal(hood.call(*words, "--limit", "stdout_bytes=4999"), 2, "long: expect has 5000 bytes.*--limit stdout_bytes")
    expect_status(hood.call(*words, "--limit", "stdout_bytes=5000"), 1)
    tasks = lines(hood, "in.jsonl", dict(STDIO, id="in", stdin=long))
    expect_refusal(hood.call("eval", tasks, "--candidates", "none", "--limit", "stdin_bytes=4KiB"), 2, "in: stdin has 5000 bytes.*stdin_bytes")


@pytest.mark.parametrize("head,what", [
    (b"\x28\xb5\x2f\xfd", "zstd -d"), (b"\xfd7zXZ\0", "xz -d"), (b"BZh9", "bzip2 -d"), (b"PK\3\4", "unzip"), (b"PAR1", "Parquet"),
    (b"\xff\xfe[\0", "UTF-16"), (b"SQLite format 3\0", "SQLite"), (b"\x80\4", "pickle"), (b"version https:" + b"//git-lfs", "git lfs pull"),
    (b"<!DOCTYPE html>", "HTML"), (b"x" * 257 + b"ustar", "tar archive")])
def test_a_file_of_another_format_is_named(hood, head, what):
    refused(hood, hood.file("tasks", head + b"\n" * 600), "none", what)
    refused(hood, lines(hood, "t.jsonl", STDIO), hood.file("c.jsonl", head + b"\n" * 600), what)
    refused(hood, hood.file("tasks.gz", gzip.compress(head + b"\n" * 600)), "none", "within its gzip.*" + what)


def test_many_cases_tasks_and_samples_take_time_by_their_number(hood):
    """Twenty times as many in 20 times as long; quadratic would be 400 times."""
    def seconds(count):
        tasks = lines(hood, "cases%d.jsonl" % count, {"id": "c", "cases": [{"name": "case %d" % n, "input": n, "expect": n} for n in range(count)]},
                      *(dict(STDIO, id="t%d" % n) for n in range(count)))
        answers = lines(hood, "c%d.jsonl" % count, *({"task_id": "t%d" % n, "completion": ""} for n in range(count)),
                        *({"task_id": "t0", "completion": ""} for n in range(count)))
        words = ["eval", tasks, "--candidates", answers, "--out", hood.folder / str(count)]
        begin = time.process_time_ns(), os.times().children_user
        expect_status(hood.call(*words), 1)
        expect_status(hood.call(*words, "--resume"), 1)
        return os.times().children_user - begin[1]
    few, many = seconds(1000), seconds(20000)
    assert many < 100 * max(few, 0.05), (few, many)


# ---------------------------------------------------------------- names

def test_a_candidates_name_in_the_cage_is_not_its_tasks(hood):
    tasks = lines(hood, "tasks.jsonl", *(dict(STDIO, id=name) for name in ("random", "json", "sys")))
    for name in ("random", "json", "sys"):
        hood.file("candidates/%s.py" % name, "import random, json\nrandom.random(), json.dumps(1)\nprint('x')\n")
    evaluate(hood, tasks, hood.folder / "candidates", status=0)
