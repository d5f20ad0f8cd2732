"""What came of an evaluation, by groups, and the evidence of one of its runs."""
import json
import subprocess

import pytest

from hood import expect_refusal, expect_status


def rows_of(count):
    for i in range(count):
        verdict, detail = [("pass", None), ("wrong-answer", "got %d, expected %d" % (i, i + 1)),
                           ("runtime-error", "NameError: name 'x%d' is not defined" % i), ("timeout", "wall limit of 2s")][i % 4]
        yield {"task_id": "HumanEval/%d" % (i // 100), "sample": i % 100, "verdict": verdict, "detail": detail}


def folder_of(hood, rows, name="done"):
    hood.file(name + "/results.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return hood.folder / name


def groups_of(hood, *words):
    run = hood.call("results", "--json", *words)
    expect_status(run, 0)
    return json.loads(run.out)


def test_failures_by_reason(hood):
    folder = folder_of(hood, rows_of(16400))
    run = hood.call("results", folder)
    expect_status(run, 0)
    lines = run.text.splitlines()
    assert lines[0] == "16400 results, 4100 passed; 12300 in 3 groups"
    said = [line.split(None, 2) for line in lines[3::2]]
    assert sorted(said) == [["4100", "runtime-error", "NameError: name '_' is not defined"], ["4100", "timeout", "wall limit of 2s"],
                            ["4100", "wrong-answer", "got N, expected N"]]
    assert "HumanEval/0 #1, HumanEval/0 #5, HumanEval/0 #9, ..." in run.text


def test_groups_and_filters(hood):
    folder = folder_of(hood, rows_of(400))
    by_verdict = groups_of(hood, folder, "--group", "verdict")
    assert {group["verdict"]: group["results"] for group in by_verdict["groups"]} == dict.fromkeys(["pass", "wrong-answer", "runtime-error", "timeout"], 100)
    by_task = groups_of(hood, folder, "--group", "task")
    assert [(group["task_id"], group["results"], group["passed"]) for group in by_task["groups"]] == [("HumanEval/%d" % i, 100, 25) for i in range(4)]
    some = groups_of(hood, folder, "--verdict", "timeout", "--verdict", "pass", "--task", "*/1", "--task", "*/2")
    assert {(group["verdict"], group["results"]) for group in some["groups"]} == {("timeout", 50), ("pass", 50)} and some["matched"] == 100


def test_memory_does_not_grow_with_the_file(hood):
    """Each line its own reason and task: groups are bounded, and what is beyond is counted."""
    folder = folder_of(hood, ({"task_id": "t" + "%d" % i, "sample": 0, "verdict": "wrong-answer", "detail": "z" * (i % 90) + "%c%c%c" % (97 + i % 26, 97 + i // 26 % 26, 97 + i // 676)} for i in range(40000)))
    done = subprocess.run(["prlimit", "--as=%d" % (64 << 20), hood.binary, "results", "--json", folder], capture_output=True)
    report = json.loads(done.stdout)
    assert report["results"] == 40000 == report["ungrouped"] + sum(group["results"] for group in report["groups"])
    assert report["ungrouped"] > 0


def test_hostile_lines_are_harmless(hood):
    folder = folder_of(hood, [{"task_id": "a\x1b[31m", "sample": 0, "verdict": "wrong-answer", "detail": "\x1b]0;x\x07\u202e\nsecond"},
                              {"task_id": 5, "sample": "x", "verdict": ["no"]}, {"verdict": "pass"}, [], "text", None])
    run = hood.call("results", folder)
    assert run.status == 0 and b"\x1b" not in run.out and "\u202e" not in run.text and "6 results" in run.text, run
    (folder / "results.jsonl").write_text('{"task_id": "a", "sample": 0, "verdict": "pass", "detail": null}\n{"task_id": "a", "sam')
    run = hood.call("results", folder)
    assert run.status == 0 and "torn" in run.said and "1 result, 1 passed" in run.text, run
    (folder / "results.jsonl").write_text('{"task_id": "a", "sam\n{"task_id": "a", "sample": 0, "verdict": "pass", "detail": null}\n')
    expect_refusal(hood.call("results", folder), 2, "results.jsonl:1")


def test_what_holds_no_results_is_refused(hood):
    tasks = hood.file("tasks.jsonl", '{"task_id": "a/0", "prompt": "", "entry_point": "f", "test": "def check(f): pass"}\n')
    expect_refusal(hood.call("results", tasks), 2, "holds no result", "fumehood eval")
    hood.file("other/notes.txt", "")
    expect_refusal(hood.call("results", hood.folder / "other"), 2, "other/results.jsonl: no such file", "fumehood eval")
    empty = folder_of(hood, [], "empty")
    assert "0 results" in hood.call("results", empty).text


@pytest.mark.parametrize("words", [["nosuch"], [], [".", "--group", "colour"], [".", "--verdict", "failed"]])
def test_wrong_words(hood, words):
    run = hood.call("results", *words, cwd=hood.folder)
    expect_refusal(run, 2)
    assert "failed" not in words or "one of pass, wrong-answer," in run.said, run


# ---------------------------------------------------------------- receipts

@pytest.fixture
def evaluation(hood):
    tasks = hood.file("t.json", json.dumps([
        {"id": "calls", "cases": [{"name": "one", "args": [1], "expect": 2}, {"name": "two", "args": [2], "expect": 3}]},
        {"id": "io/1", "stdin": "", "expect": "x"}]))
    rows = [{"task_id": "calls", "solution": "def solution(n): return n + 1"}, {"task_id": "calls", "solution": "def solution(n): return n"},
            {"task_id": "io/1", "solution": "print('x')"}, {"task_id": "io/1", "solution": "print('y')"}]
    candidates = hood.file("c.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    out = hood.folder / "out"
    expect_status(hood.call("eval", tasks, "--candidates", candidates, "--out", out), 1)
    return out


def test_one_receipt_by_task_sample_and_case(hood, evaluation):
    for sample, at_case, verdict in [(0, "one", "pass"), (1, "two", "wrong-answer")]:
        run = hood.call("receipt", "show", "--json", "--task", "calls", "--sample", sample, "--case", at_case, evaluation)
        judged = json.loads(run.out)["eval"]
        assert (judged["task_id"], judged["sample"], judged["case"], judged["verdict"]) == ("calls", sample, at_case, verdict)
    judged = json.loads(hood.call("receipt", "show", "--json", "--task", "io/1", "--sample", "1", evaluation / "receipts.jsonl").out)["eval"]
    assert (judged["sample"], judged["verdict"]) == (1, "wrong-answer")


def test_what_is_not_one_receipt(hood, evaluation):
    assert "line 6, the last receipt" in hood.call("receipt", "show", evaluation).said
    assert hood.call("receipt", "show", "--index", "6", evaluation).said == hood.call("receipt", "show", "--json", evaluation).said == ""
    expect_refusal(hood.call("receipt", "show", "--task", "calls", evaluation), 2, "more than one", "--sample N and --case NAME")
    expect_refusal(hood.call("receipt", "show", "--task", "io/1", evaluation), 2, "--sample N")
    expect_refusal(hood.call("receipt", "show", "--task", "nosuch", evaluation), 2, "has no task .nosuch")
    expect_refusal(hood.call("receipt", "show", "--task", "io/1", "--sample", "2", evaluation), 2, "no such sample or case")
    expect_refusal(hood.call("receipt", "show", "--sample", "1", evaluation), 2, "need --task")
    expect_refusal(hood.call("receipt", "show", "--task", "io/1", "--index", "1", evaluation), 2, "give one")


def test_a_receipt_through_a_pipe(hood, evaluation):
    receipt = hood.call("run", "--json", hood.program("echo hi", "sh")).out
    for words in (["-"], []):
        shown = hood.call("receipt", "show", *words, stdin=receipt)
        assert shown.status == 0 and json.loads(receipt)["run_id"] in shown.text, shown
        verified = hood.call("receipt", "verify", *words, stdin=receipt)
        assert verified.status == 0 and verified.text.startswith("standard input: 1 receipt, all right"), verified
    many = (evaluation / "receipts.jsonl").read_bytes()
    shown = hood.call("receipt", "show", "--json", "--task", "io/1", "--sample", "1", "-", stdin=many)
    assert json.loads(shown.out)["eval"]["verdict"] == "wrong-answer"
    assert hood.call("receipt", "verify", "-", stdin=receipt.replace(b"hi", b"ho")).status == 1
    expect_refusal(hood.call("receipt", "show", "-", stdin=b""), 2, "standard input", "no receipt")
    expect_refusal(hood.call("receipt", "show", "-", stdin=b"{nonsense"), 2, "standard input")
    assert "/proc" not in hood.call("receipt", "show", "-", stdin=b"{nonsense").said


def test_a_table_that_is_cut_says_where_the_rest_is(hood):
    tasks = hood.file("t.json", json.dumps([{"id": "t%d" % i, "stdin": "", "expect": "x"} for i in range(60)]))
    run = hood.call("eval", tasks, "--candidates", "none", "--out", hood.folder / "out")
    assert "and 20 more that did not pass; why, by groups: fumehood results %s\n" % (hood.folder / "out") in run.text, run.text[-500:]
    assert groups_of(hood, hood.folder / "out")["groups"][0]["results"] == 60
