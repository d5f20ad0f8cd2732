"""The bench: its scripts run, and write what they promise. No time is judged."""
import json
import subprocess

import hood as story

BENCH = story.REPO / "bench"
TASK = {"task_id": "t/0", "prompt": "def f():\n", "entry_point": "f", "test": "def check(c):\n    assert c() == 1\n"}
SAMPLES = {"prompt": TASK["prompt"], "samples": ["    return 1\n", "    return 2\n", "    raise SystemExit(0)\n"]}
GOLDEN = [{"task_id": "t/0", "sample": i, "verdict": v} for i, v in enumerate(("pass", "fail", "pass"))]


def bench(script, *args):
    r = subprocess.run([BENCH / script, *map(str, args)], capture_output=True, text=True, timeout=120)
    assert r.returncode == 0, r.stdout + r.stderr
    return r.stdout


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_run_and_plot(tmp_path):
    figures = tmp_path / "figures.json"
    bench("run", "--runs", 1, "--rounds", 1, "--rate-ms", 20, "--quiet-ms", 0, "--only", "none", "--part", "latency",
          "--part", "rate", "--jobs", 2, "--json", figures, story.BINARY)
    data = json.loads(figures.read_text())
    assert data["latency"]["true"]["fumehood"]["samples"] == 1
    assert data["rates"]["python"]["2"]["bare"]["per_s"] > 0
    bench("plot", figures, tmp_path / "figures.svg")
    assert (tmp_path / "figures.svg").read_text().startswith("<svg")


def test_codegen(tmp_path):
    tasks, samples = write_lines(tmp_path / "t.jsonl", [TASK]), write_lines(tmp_path / "c.jsonl", [SAMPLES])
    golden, out = write_lines(tmp_path / "g.jsonl", GOLDEN), tmp_path / "out.json"
    bench("codegen", tasks, samples, "--golden", golden, "--fumehood", story.BINARY, "--json", out)
    data = json.loads(out.read_text())
    assert data["programs"] == 3
    assert data["not_the_same"]["fumehood, plain"] == []
    assert data["not_the_same"]["plain, golden"] == [["t/0", 2, "fail", "pass"]]


def test_grow(tmp_path):
    out = tmp_path / "out.json"
    bench("grow", "--runs", 200, "--every", 0.01, "--fumehood", story.BINARY, "--json", out)
    assert len(json.loads(out.read_text())["result"]["looks"]) > 5


def test_at_once(tmp_path):
    out = tmp_path / "out.json"
    bench("grow", "--at-once", 4, "--sleep", 1, "--every", 0.1, "--fumehood", story.BINARY, "--json", out)
    assert json.loads(out.read_text())["result"]["guests_at_once"] == 4
