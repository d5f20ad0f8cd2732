"""What an evaluation leaves is accounted for: any of it changed, moved, doubled or taken away is found and named."""
import json
import os
import pathlib
import shutil

import pytest

from hood import *
from test_eval import receipts_of, rewrite

TASKS = [
    {"id": "a", "stdin": "", "expect": "x\n"},
    {"id": "b", "stdin": "", "expect": "x\n"},
    {"id": "c", "cases": [{"name": "one", "input": 1, "expect": 2}, {"name": "two", "input": 2, "expect": 4},
                          {"name": "three", "input": 3, "expect": 6}]},
    {"id": "d", "stdin": "", "expect": "x\n"},
    {"id": "e", "stdin": "", "expect": "x\n"},
]
CANDIDATES = {"a.py": "print('x')\n", "b.py": "print('wrong')\n", "b.sh": "echo x\n",
              "c.py": "def solution(n):\n    assert n < 3\n    return n * n\n", "d.py": " \n"}


def words(hood, *options):
    return ["eval", hood.folder / "tasks.jsonl", "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--jobs", "1",
            *options]


@pytest.fixture
def out(hood):
    hood.file("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in TASKS))
    for name, text in CANDIDATES.items():
        hood.file("candidates/" + name, text)
    expect_status(hood.call(*words(hood)), 1)
    folder = hood.folder / "out"
    expect_status(hood.call("receipt", "verify", folder / "receipts.jsonl"), 0)
    return folder


def rows(out):
    return [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]


def write_rows(out, lines):
    (out / "results.jsonl").write_text("".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines))


def at(lines, task, sample=0, case=None):
    return next(i for i, row in enumerate(lines) if (row["task_id"], row["sample"], row.get("case")) == (task, sample, case))


def no_run(row, verdict, fault, detail=None):
    """A line as it would be without a run."""
    return dict(row, verdict=verdict, fault=fault, run_id=None, wall_us=None, cpu_us=None, memory_peak_bytes=None, detail=detail,
                code_sha256=None if verdict == "missing" else row["code_sha256"])


def change_row(task, sample=0, case=None, **new):
    def change(out):
        lines = rows(out)
        lines[at(lines, task, sample, case)].update(new)
        write_rows(out, lines)
    return change


def disown(verdict, fault, detail=None):
    """The failure of b becomes a verdict that needs no run, as whoever wants a better mark would write it."""
    def change(out):
        lines = rows(out)
        index = at(lines, "b")
        lines[index] = no_run(lines[index], verdict, fault, detail)
        write_rows(out, lines)
    return change


def change_lines(name, function):
    def change(out):
        path = out / name
        path.write_bytes(b"".join(function(path.read_bytes().splitlines(True))))
    return change


def change_json(name, **new):
    def change(out):
        value = json.loads((out / name).read_text())
        for key, item in new.items():
            value[key] = dict(value[key], **item) if isinstance(item, dict) else item
        (out / name).write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")
    return change


def an_object(out):
    return out / "objects" / rows(out)[at(rows(out), "a")]["code_sha256"]


def replace_by_link(path):
    moved = path.parent.parent / ("moved-" + path.name)
    path.rename(moved)
    path.symlink_to(moved)


def move_result(out):
    lines = rows(out)
    one, two = at(lines, "b", 0), at(lines, "b", 1)
    lines[one]["sample"], lines[two]["sample"] = 1, 0
    write_rows(out, lines)


def drop_failure(out):
    lines = rows(out)
    del lines[at(lines, "b")]
    write_rows(out, lines)


def cut_the_end(out):
    """The last receipt, its result and what the summary says of both."""
    (out / "receipts.jsonl").write_text("".join((out / "receipts.jsonl").read_text().splitlines(True)[:-1]))
    write_rows(out, [row for row in rows(out) if row["run_id"] in {receipt["run_id"] for receipt in receipts_of(out)} or not row["run_id"]])


def forget_task(out):
    """All that speaks of the task without a candidate; the summary is what the rest then comes to."""
    write_rows(out, [row for row in rows(out) if row["task_id"] != "e"])
    summary = json.loads((out / "summary.json").read_text())
    summary["by_verdict"].pop("missing")
    summary["pass_at"]["1"] = 0.375
    summary.update(coverage=1.0, **{key: summary[key] - 1 for key in ("tasks", "candidates", "results", "judged")})
    (out / "summary.json").write_text(json.dumps(summary))


FOUND = {
    "pass for skipped": (disown("skipped", "none"), r"results\.jsonl:\d+: is \"skipped\" and names no run, but line 2 of the receipts"),
    "pass for missing": (disown("missing", "model", "there is no candidate"), r"results\.jsonl:\d+: is \"missing\" and names no run"),
    "pass for no code": (disown("no-code", "model", "the candidate is empty"), r"results\.jsonl:\d+: is \"no-code\" and names no run"),
    "pass for the task": (disown("task-invalid", "task"), r"results\.jsonl:\d+: its verdict is \"task-invalid\", but it names no run"),
    "pass for the host": (disown("infra-error", "host"), r"results\.jsonl:\d+: is \"infra-error\" and names no run"),
    "pass without a run": (disown("pass", "none"), r"results\.jsonl:\d+: its verdict is \"pass\", but it names no run"),
    "result gone": (drop_failure, r"receipts\.jsonl:2: its run has no result"),
    "first result gone": (change_lines("results.jsonl", lambda lines: lines[1:]), r"receipts\.jsonl:1: its run has no result"),
    "no results": (change_lines("results.jsonl", lambda lines: []), r"receipts\.jsonl:1: its run has no result"),
    "missing result gone": (lambda out: write_rows(out, [row for row in rows(out) if row["task_id"] != "e"]), r"summary\.json: results is not"),
    "result twice": (change_lines("results.jsonl", lambda lines: lines + lines[:1]), r"results\.jsonl:9: there is no receipt of its run"),
    "missing twice": (change_lines("results.jsonl", lambda lines: lines + [line for line in lines if b'"missing"' in line]), r"results\.jsonl:9: is a second result"),
    "results swapped": (change_lines("results.jsonl", lambda lines: [lines[1], lines[0]] + lines[2:]), r"results\.jsonl:1: .*not in this order|results\.jsonl:\d"),
    "verdict": (change_row("b", verdict="pass", fault="none"), r"results\.jsonl:2: .*verdict|results\.jsonl:2: fault"),
    "verdict alone": (change_row("b", verdict="pass"), r"results\.jsonl:2: verdict is \"pass\", but \"wrong-answer\""),
    "detail": (change_row("b", detail="fine"), r"results\.jsonl:2: detail"),
    "trust": (change_row("b", trust="split"), r"results\.jsonl:2: trust"),
    "other sample": (move_result, r"results\.jsonl:2: sample"),
    "field gone": (lambda out: write_rows(out, [{key: value for key, value in row.items() if key != "detail"} for row in rows(out)]), r"results\.jsonl:1: detail"),
    "field new": (change_row("a", note="well done"), r"results\.jsonl:1: note"),
    "detail of what has no run": (change_row("e", verdict="missing", fault="candidate"), r"its verdict is \"missing\", so its fault is \"model\""),
    "time of what has no run": (change_row("e", wall_us=1), r"it names no run, but has its wall_us"),
    "detail that is none": (change_row("e", detail=7), r"its detail or its trust cannot be"),
    "trust that is none": (change_row("e", trust="full"), r"its detail or its trust cannot be"),
    "missing task forgotten": (forget_task, r"summary\.json: tasks is not that of eval\.json"),
    "missing of another task": (change_row("e", task_id="z"), r"summary\.json: the results are not of the tasks and samples of eval\.json"),
    "missing of another sample": (lambda out: write_rows(out, [dict(row, sample=int(row["task_id"] == "e" or row["sample"])) for row in rows(out)]), r"summary\.json: the results are not of the tasks and samples of eval\.json"),
    "interrupted is a number": (change_json("summary.json", interrupted=0), r"summary\.json: interrupted is not what"),
    "garbage": (change_lines("results.jsonl", lambda lines: lines + [b"and so on\n"]), r"results\.jsonl:9: is torn or damaged"),
    "results torn": (change_lines("results.jsonl", lambda lines: lines[:-1] + [lines[-1][:-5]]), r"results\.jsonl:8: is torn"),
    "results without an end": (change_lines("results.jsonl", lambda lines: lines[:-1] + [lines[-1][:-1]]), r"results\.jsonl: ends within a line"),
    "receipt gone": (change_lines("receipts.jsonl", lambda lines: lines[:2] + lines[3:]), r"receipts\.jsonl:3: previous_sha256"),
    "last receipt gone": (change_lines("receipts.jsonl", lambda lines: lines[:-1]), r"results\.jsonl:\d: there is no receipt of its run"),
    "end cut": (cut_the_end, r"summary\.json: receipts is not|summary\.json"),
    "receipts empty": (change_lines("receipts.jsonl", lambda lines: []), r"results\.jsonl:1: there is no receipt"),
    "passed": (change_json("summary.json", passed=4), r"summary\.json: passed is not what"),
    "judged": (change_json("summary.json", judged=7), r"summary\.json: judged is not what"),
    "candidates": (change_json("summary.json", candidates=5), r"summary\.json: candidates is not what"),
    "tasks": (change_json("summary.json", tasks=4), r"summary\.json: tasks is not what"),
    "by verdict": (change_json("summary.json", by_verdict={"wrong-answer": 0}), r"summary\.json: by_verdict is not what"),
    "pass at 1": (change_json("summary.json", pass_at={"1": 1.0}), r"summary\.json: pass_at is not what"),
    "coverage": (change_json("summary.json", coverage=1.0), r"summary\.json: coverage is not what"),
    "not run": (change_json("summary.json", not_run=1, interrupted=True), r"summary\.json: not_run is not what"),
    "head": (change_json("summary.json", receipts_head="0" * 64), r"summary\.json: receipts_head is not what"),
    "task set": (change_json("summary.json", task_set_sha256="0" * 64), r"summary\.json: task_set_sha256 is not that of eval.json"),
    "task set in both": (lambda out: [change_json(name, task_set_sha256="0" * 64)(out) for name in ("summary.json", "eval.json")], r"eval\.json: is not the one of which"),
    "policy": (change_json("eval.json", policy_sha256="0" * 64), r"eval\.json: policy_sha256 is not that of the receipts"),
    "summary torn": (change_lines("summary.json", lambda lines: [lines[0][:40]]), r"summary\.json: "),
    "object changed": (lambda out: an_object(out).write_text("print('y')\n"), r"receipts\.jsonl:1: its program \w+\.\.\. was changed"),
    "object torn": (lambda out: an_object(out).write_text("p"), r"receipts\.jsonl:1: its program \w+\.\.\. was changed"),
    "object gone": (lambda out: an_object(out).unlink(), r"receipts\.jsonl:1: its program"),
    "object of no code gone": (lambda out: (out / "objects" / rows(out)[at(rows(out), "d")]["code_sha256"]).unlink(), r"its program"),
    "object a link": (lambda out: replace_by_link(an_object(out)), r"receipts\.jsonl:1: its program .* is a link"),
    "object a FIFO": (lambda out: (an_object(out).unlink(), os.mkfifo(an_object(out))), r"receipts\.jsonl:1: its program .* is a FIFO"),
    "object too many": (lambda out: (out / "objects" / ("0" * 64)).write_text(""), r"objects/0+: is of no receipt and no result"),
    "object of another name": (lambda out: (out / "objects/readme").write_text(""), r"objects/readme: is no object"),
}
for name in ("results.jsonl", "summary.json", "eval.json", "objects"):
    FOUND[name + " missing"] = (lambda out, name=name: (out / name).rename(out.parent / name), name.replace(".", r"\.") + ": is missing")
    FOUND[name + " a link"] = (lambda out, name=name: replace_by_link(out / name), name.replace(".", r"\.") + ": is (a link|not a folder)")
for name in ("results.jsonl", "summary.json", "eval.json"):
    FOUND[name + " a FIFO"] = (lambda out, name=name: ((out / name).unlink(), os.mkfifo(out / name)), name.replace(".", r"\.") + ": is a FIFO")


def rename_case(out):
    lines = rows(out)
    index = next(i for i, row in enumerate(lines) if row.get("case") == "three")
    lines[index]["case"] = "one"
    write_rows(out, lines)


FOUND["other case"] = (rename_case, r"results\.jsonl:\d: case is \"one\", but \"three\"")


def test_all_of_it(hood, out):
    """One folder, tampered with in each way in turn; each is found in the right place, and nothing else is."""
    kept = hood.folder / "kept"
    shutil.copytree(out, kept)
    wrong = []
    for name, (change, words) in FOUND.items():
        change(out)
        run = hood.call("receipt", "verify", out / "receipts.jsonl", timeout=30)
        lines = run.said.splitlines()
        if run.status != 1 or len(lines) != 1 or not re.search(words, lines[0]) or run.out:
            wrong.append("%s: status %s, %s, wanted %s" % (name, run.status, run.said or run.text, words))
        shutil.rmtree(out)
        for left in hood.folder.glob("moved-*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        for left in ("results.jsonl", "summary.json", "eval.json", "objects"):
            path = hood.folder / left
            if path.exists():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(kept, out)
    assert not wrong, "\n".join(wrong)
    expect_status(hood.call("receipt", "verify", out / "receipts.jsonl"), 0)


def test_what_is_right(hood, out):
    run = expect_status(hood.call("receipt", "verify", "receipts.jsonl", cwd=out), 0)
    assert "6 receipts" in run.text and "8 results" in run.text, run
    assert re.search(r"^head [0-9a-f]{64}$", run.text, re.M) and "as the receipts say" in run.text
    shutil.copy(out / "receipts.jsonl", hood.folder / "receipts.jsonl")
    expect_refusal(hood.call("receipt", "verify", hood.folder / "receipts.jsonl"), 1, "results.jsonl: is missing")
    expect_status(hood.call("receipt", "verify", "--alone", hood.folder / "receipts.jsonl"), 0)
    expect_status(hood.call("receipt", "verify", "--objects", out / "objects", "--results", out / "results.jsonl", hood.folder / "receipts.jsonl"), 0)
    expect_status(hood.call(*words(hood, "--resume")), 1)
    expect_status(hood.call("receipt", "verify", out / "receipts.jsonl"), 0)


def test_a_folder_without_a_run(hood):
    hood.file("tasks.jsonl", json.dumps(TASKS[0]) + "\n")
    folder = hood.folder / "out"
    expect_status(hood.call("eval", hood.folder / "tasks.jsonl", "--candidates", "none", "--out", folder), 1)
    run = expect_status(hood.call("receipt", "verify", folder / "receipts.jsonl"), 0)
    assert "0 receipts" in run.text and "1 result" in run.text and "head none" in run.text
    rewrite(folder / "results.jsonl", '"missing"', '"no-code"')
    assert hood.call("receipt", "verify", folder / "receipts.jsonl").status == 1


CLAIMS = {
    "missing": ("a", "missing", "model", "there is no candidate"),
    "no-code": ("a", "no-code", "model", "the candidate is empty"),
    "limit": ("a", "limit", "candidate", "the code is larger than 4 MiB"),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_resume_believes_nothing_that_it_would_not_say(hood, out, claim):
    """Receipts were taken from the end, so nothing contradicts a verdict that needs no run, but what is judged."""
    task, verdict, fault, detail = CLAIMS[claim]
    lines = rows(out)
    row = no_run(lines[at(lines, task)], verdict, fault, detail)
    (out / "receipts.jsonl").write_text("")
    write_rows(out, [row])
    before = (out / "results.jsonl").read_bytes()
    expect_refusal(hood.call(*words(hood, "--resume")), 2, r"results\.jsonl:1: names no run, and is not what")
    assert (out / "results.jsonl").read_bytes() == before and (out / "summary.json").exists()


@pytest.mark.parametrize("change", [{"started_utc": "2026-01-01T00:00:00.000Z"}, {"tasks": 4}, {"covered": 5}, {"note": "x"}])
def test_resume_goes_on_with_no_other_eval_json(hood, out, change):
    """New receipts would name it, and those before would be of another."""
    (out / "summary.json").unlink()
    change_json("eval.json", **change)(out)
    before = (out / "receipts.jsonl").read_bytes(), (out / "results.jsonl").read_bytes()
    expect_refusal(hood.call(*words(hood, "--resume")), 2, r"eval\.json: is not the one of which the receipts are")
    assert before == ((out / "receipts.jsonl").read_bytes(), (out / "results.jsonl").read_bytes())


def test_resume_runs_what_was_skipped(hood, out):
    lines = rows(out)
    kept = [row for row in lines if row["task_id"] == "e"] + [no_run(lines[at(lines, "b")], "skipped", "none")]
    (out / "receipts.jsonl").write_text("")
    write_rows(out, kept)
    run = expect_status(hood.call(*words(hood, "--resume")), 1)
    assert [row["verdict"] for row in rows(out) if row["task_id"] == "b"] == ["skipped", "wrong-answer", "pass"], run
    assert [row["verdict"] for row in rows(out) if row["task_id"] == "e"] == ["missing"]
    expect_status(hood.call("receipt", "verify", out / "receipts.jsonl"), 0)


@pytest.mark.parametrize("name", ["pass for skipped", "pass for missing", "pass for the host", "verdict alone", "other sample", "missing twice",
                                  "receipt gone"])
def test_resume_finds_the_same(hood, out, name):
    change, said = FOUND[name]
    change(out)
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    expect_refusal(hood.call(*words(hood, "--resume")), 2, said)
    assert before == {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}


@pytest.mark.parametrize("damage", ["changed", "gone", "all gone"])
def test_resume_needs_the_programs_that_ran(hood, out, damage):
    """What ran is part of what was recorded."""
    (out / "summary.json").unlink()
    if damage == "changed":
        an_object(out).write_bytes(an_object(out).read_bytes() + b"\n")
    elif damage == "gone":
        an_object(out).unlink()
    else:
        shutil.rmtree(out / "objects")
    before = {path.name: path.read_bytes() for path in out.glob("*.json*")}
    expect_refusal(hood.call(*words(hood, "--resume")), 2, "objects")
    assert {path.name: path.read_bytes() for path in out.glob("*.json*")} == before
    assert (out / "objects").exists() == (damage != "all gone")
