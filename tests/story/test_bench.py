"""The bench: its scripts run, and write what they promise. No time is judged."""
import json
import os
import re
import signal
import subprocess
import sys

import hood as story
import pytest

BENCH = story.REPO / "bench"
PROGRAMS = ("run", "tables", "plot", "grow", "codegen", "endure", "plain_harness.py")
TASK = {"task_id": "t/0", "prompt": "def f():\n", "entry_point": "f", "test": "def check(c):\n    assert c() == 1\n"}
SAMPLES = {"prompt": TASK["prompt"], "samples": ["    return 1\n", "    return 2\n", "    raise SystemExit(0)\n"]}
ENDLESS = {"prompt": TASK["prompt"], "samples": ["    while True: pass\n"] * 4}
GOLDEN = [{"task_id": "t/0", "sample": i, "verdict": v} for i, v in enumerate(("pass", "fail", "pass"))]

# Interrupts a program after a time; orphans come to this process, so that none can hide: STATUS, LEFT, then its stderr.
INTERRUPT = """
import ctypes, os, signal, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
p = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
time.sleep(float(sys.argv[1]))
p.send_signal(int(sys.argv[2]))
said, status = p.stderr.read(), p.wait()
try:
    left = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    left = "somebody" if left is None else f"dead {left.si_pid}"
except ChildProcessError:
    left = "nobody"
print(status, left)
print(said, end="")
"""


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import program as module
    return module


def start(script, *args):
    return subprocess.run([BENCH / script, *map(str, args)], capture_output=True, text=True, timeout=120)


def bench(script, *args):
    r = start(script, *args)
    assert r.returncode == 0, r.stdout + r.stderr
    return r.stdout


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def measure(tmp_path, *more):
    figures = tmp_path / "figures.json"
    out = bench("run", "--runs", 1, "--rounds", 1, "--rate-ms", 20, "--quiet-ms", 0, "--only", "none", "--part", "latency",
                "--part", "rate", "--jobs", 2, "--json", figures, story.BINARY, *more)
    return figures, json.loads(figures.read_text()), out


def test_run_plot_and_tables(tmp_path):
    figures, data, out = measure(tmp_path)
    assert data["latency"]["true"]["fumehood"]["samples"] == 1
    assert data["rates"]["python"]["2"]["bare"]["per_s"] > 0
    bench("plot", figures, tmp_path / "figures.svg")
    assert (tmp_path / "figures.svg").read_text().startswith("<svg")
    page = bench("tables", figures)
    version = subprocess.run([story.BINARY, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    assert data["measured"]["path"] == str(story.BINARY)
    assert data["measured"]["version"] == version
    for text in (out, page):
        assert version in text and data["measured"]["sha256"][:12] in text
    assert data["not_measured"]["bwrap"] == "left out by --only none"
    assert re.search(r"^bwrap +left out by --only none$", out, re.M)
    assert "| cold `true` / bwrap, medians (minijail0 did not take part) |" in page
    assert "/usr IS WRITABLE" in page and "USR-WRITABLE" not in page


def test_tables_of_a_peer_that_is_there(tmp_path):
    row = {"median_ms": 2.0, "p99_ms": 3.0, "ratio_to_bare": 1.0, "settled_median_ms": 2.0, "cage": "pid", "limits_by": "cgroup"}
    figures = tmp_path / "figures.json"
    rows = {name: row for name in ("bare", "fumehood", "fumehood warm, slot", "minijail0")}
    about = {"cpus": 2, "cpu_name": "c", "virtual": False, "memory_mib": 1024, "system": "s", "kernel": "6.1-x", "cgroup": 2,
             "compiler": "cc", "python": "p", "root": True, "load_before": 0.1, "load_after": 2.0}
    measured = {"path": "/opt/fumehood", "version": "fumehood 7.8.9", "sha256": "ab" * 32,
                "tree": {"commit": "v7-3-gabc", "path": "build/release/fumehood"}}
    figures.write_text(json.dumps({"schema": "fumehood.bench/2", "runs": 1, "machine": about, "latency": {"true": rows},
                                   "measured": measured, "not_measured": {"docker": "no daemon | here"}}))
    page = bench("tables", figures)
    assert "Measured: fumehood 7.8.9, build/release/fumehood in a clone at v7-3-gabc, SHA-256 abababababab" in page
    assert "| cold `true` / minijail0, medians | at most 0.650 | 1.000 | **not met** |" in page
    assert "| warm `true` / docker, medians | at most 0.007 | – | not measured: no daemon \\| here |" in page
    assert "| docker | no daemon \\| here |" in page


@pytest.mark.parametrize("script", PROGRAMS)
def test_help(script):
    assert bench(script, "--help").startswith(f"usage: bench/{script} ")


REFUSED = [
    ("run", "/nonexistent"), ("run", "/bin/true"), ("run", "BINARY", "--only", "nothing-of-this-name"), ("run", "BINARY", "--runs", "0"),
    ("run", "BINARY", "--jobs", "65"), ("run", "BINARY", "--json", "/nonexistent/x.json"), ("run", "--no-such-word"),
    ("tables",), ("tables", "/nonexistent"), ("tables", "TORN"), ("tables", "LIST"), ("tables", "OTHER"), ("tables", "EMPTY"),
    ("plot",), ("plot", "/nonexistent", "OUT"), ("plot", "TORN", "OUT"), ("plot", "OTHER", "OUT"), ("plot", "EMPTY", "OUT"),
    ("grow", "--fumehood", "/nonexistent"), ("grow", "--fumehood", "BINARY", "--runs", "2000", "--every", "1"),
    ("grow", "--fumehood", "BINARY", "--runs", "10"), ("grow", "--fumehood", "BINARY", "--at-once", "0"),
    ("codegen", "--fumehood", "/nonexistent", "TASKS", "SAMPLES"), ("codegen", "--fumehood", "BINARY", "/nonexistent", "SAMPLES"),
    ("codegen", "--fumehood", "BINARY", "TASKS", "TORN"), ("codegen", "--fumehood", "BINARY", "SAMPLES", "TASKS"),
    ("codegen", "--fumehood", "BINARY", "TASKS", "SAMPLES", "--golden", "/nonexistent"),
    ("codegen", "--fumehood", "BINARY", "TASKS", "STRANGE"),
    ("endure", "flood", "--fumehood", "/nonexistent"), ("endure", "neither"), ("endure", "--runs", "0"),
    ("plain_harness.py", "/nonexistent", "SAMPLES"), ("plain_harness.py", "TASKS", "STRANGE"),
]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_refused_at_once_in_one_line(tmp_path, words):
    files = {
        "TORN": '{"schema": "fumehood.bench/2", "runs": ', "LIST": "[]\n", "OTHER": '{"schema": "fumehood.other/1"}\n',
        "EMPTY": '{"schema": "fumehood.bench/2"}\n', "TASKS": json.dumps(TASK) + "\n", "SAMPLES": json.dumps(SAMPLES) + "\n",
        "STRANGE": json.dumps({**SAMPLES, "prompt": "another"}) + "\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    places = {name: tmp_path / name for name in (*files, "OUT")}
    script, *rest = [places.get(word, story.BINARY if word == "BINARY" else word) for word in words]
    r = start(script, *rest)
    assert r.returncode == 2, r.stdout + r.stderr
    assert r.stdout == ""
    assert r.stderr.startswith(f"bench/{script}: ") and r.stderr.count("\n") == 1, r.stderr


def interrupt(after_s, number, *words):
    argv = [sys.executable, "-c", INTERRUPT, after_s, int(number), *words]
    out = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=60, check=True).stdout
    first, said = out.split("\n", 1)
    return first, said


@pytest.mark.parametrize("number,status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("words", [
    ("run", "--part", "latency", "--only", "none", "--runs", 1000, "BINARY"),
    ("run", "--part", "rate", "--only", "none", "BINARY"),
    ("run", "--part", "eval", "BINARY"),
    ("grow", "--fumehood", "BINARY"),
    ("grow", "--fumehood", "BINARY", "--through", "library"),
    ("codegen", "--fumehood", "BINARY", "TASKS", "ENDLESS"),
    ("endure", "--fumehood", "BINARY", "flood"),
    ("plain_harness.py", "TASKS", "ENDLESS"),
], ids=lambda words: " ".join(map(str, words)))
def test_stopped(tmp_path, words, number, status):
    places = {"BINARY": story.BINARY, "TASKS": write_lines(tmp_path / "t.jsonl", [TASK]),
              "ENDLESS": write_lines(tmp_path / "c.jsonl", [ENDLESS])}
    script, *rest = [places.get(word, word) for word in words]
    first, said = interrupt(1.7, number, BENCH / script, *rest)
    assert (first, said) == (f"{status} nobody", f"bench/{script}: stopped before its end\n")


@pytest.mark.parametrize("words", [("rate", 20000, 2), ("serve",), ("latency", 100000)], ids=lambda words: words[0])
@pytest.mark.parametrize("cage", ["fresh", "slot"])
def test_bench_warm_stopped(words, cage):
    warm = story.BINARY.parent / "bench_warm"
    if not os.access(warm, os.X_OK):
        pytest.skip("no bench_warm beside the program: `make bench-build` builds it")
    assert interrupt(0.7, signal.SIGINT, warm, *words, cage, "/usr/bin/true") == ("130 nobody", "")


def test_the_programs_tree_comes_before_path(program, tmp_path, monkeypatch):
    ours, on_path = tmp_path / "ours", tmp_path / "bin" / "fumehood"
    on_path.parent.mkdir()
    for path in (ours, on_path):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setattr(program, "DEFAULT", str(ours))
    assert program.choose(None) == str(ours)
    assert program.choose("other") == os.path.abspath("other")
    ours.unlink()
    assert program.choose(None) == str(on_path)


def test_the_commit_of_a_clone(program, tmp_path):
    assert program.tree_of(str(tmp_path / "fumehood")) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@localhost"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    tree = program.tree_of(str(tmp_path / "fumehood"))
    assert tree["path"] == "fumehood" and head.startswith(tree["commit"])


def test_news_when_it_takes_long(program, capsys, monkeypatch):
    for quiet, lines in ((False, 2), (True, 0)):
        now = [100.0]
        monkeypatch.setattr(program.time, "monotonic", lambda now=now: now[0])
        news = program.News("bench/run", quiet)
        for now[0] in (101.0, 111.0, 112.0, 135.0):
            news.say("rate: round 1 of 3")
        assert capsys.readouterr().err.splitlines() == ["bench/run: rate: round 1 of 3 (11 s so far)",
                                                        "bench/run: rate: round 1 of 3 (35 s so far)"][:lines]


def test_build_and_bench_are_told_apart():
    said = {target: subprocess.run(["make", "-n", target], cwd=story.REPO, capture_output=True, text=True, check=True).stdout
            for target in ("bench-build", "bench")}
    assert "bench_warm" in said["bench-build"] and "bench/run" not in said["bench-build"]
    assert "bench_warm" in said["bench"] and "bench/run" in said["bench"]
    for page in ("docs/performance.md", "bench/README.md"):
        assert "make bench-build" in (story.REPO / page).read_text()


def test_codegen(tmp_path):
    tasks, samples = write_lines(tmp_path / "t.jsonl", [TASK]), write_lines(tmp_path / "c.jsonl", [SAMPLES])
    golden, out = write_lines(tmp_path / "g.jsonl", GOLDEN), tmp_path / "out.json"
    bench("codegen", tasks, samples, "--golden", golden, "--fumehood", story.BINARY, "--json", out)
    data = json.loads(out.read_text())
    assert data["programs"] == 3
    assert data["measured"]["path"] == str(story.BINARY)
    assert data["not_the_same"]["fumehood, plain"] == []
    assert data["not_the_same"]["plain, golden"] == [["t/0", 2, "fail", "pass"]]
    assert "| ... verdicts in which fumehood and the plain harness differ | at most 0 | 0 | met |" in bench("tables", out)


def test_grow(tmp_path):
    out = tmp_path / "out.json"
    said = bench("grow", "--runs", 400, "--fumehood", story.BINARY, "--json", out)
    data = json.loads(out.read_text())
    assert len(data["result"]["looks"]) > 5
    assert data["measured"]["version"] in said
    assert "400 runs through eval" in bench("tables", out)


def test_at_once(tmp_path):
    out = tmp_path / "out.json"
    bench("grow", "--at-once", 4, "--sleep", 1, "--every", 0.1, "--fumehood", story.BINARY, "--json", out)
    assert json.loads(out.read_text())["result"]["guests_at_once"] == 4
