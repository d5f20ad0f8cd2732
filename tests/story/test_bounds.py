"""Whatever a stranger hands over, no process takes more than 300 MB, nor much longer than a second for each of its MB.

Memory is what the kernel counted for the largest of all processes of a command; time is their processor time, which
the load of the machine changes little.
"""
import gzip
import json
import os
import secrets
import subprocess

import pytest

from hood import *
from test_eval import public

MEMORY_MAX_MB = 300
MB = 1 << 20

# Between us and the program: what a process was before its exec counts as its own, and we are large.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    file.write("%d %f" % (usage.ru_maxrss, usage.ru_utime + usage.ru_stime))
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
"""


@pytest.fixture(autouse=True)
def plain():
    need(b"__asan_init" not in BINARY.read_bytes(), "a sanitizer keeps what is freed: memory says nothing of the program")


def measured(hood, size, *words, status=None):
    """The run of a command that was given @size bytes of a stranger's."""
    path = hood.folder / "usage"
    command = hood.command(*words)
    done = subprocess.run([PYTHON, "-c", MEASURE, str(path), *command], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120)
    run = Run(done.returncode, done.stdout, done.stderr)
    kbytes, seconds = path.read_text().split()
    run.megabytes, run.cpu_s = int(kbytes) / 1024, float(seconds)
    assert run.megabytes <= MEMORY_MAX_MB, "%d MB\n%r" % (run.megabytes, run)
    assert run.cpu_s <= 2 + size / MB, "%.1f s for %.1f MB\n%r" % (run.cpu_s, size / MB, run)
    if status is not None:
        expect_status(run, status)
    return run


def refused(hood, size, pattern, *words, status=2):
    run = measured(hood, size, *words)
    expect_refusal(run, status, pattern)
    return run


def call_of(value):
    return '{"id":"b","cases":[{"input":%s,"expect":1}]}\n' % value


def many(value, times):
    return "[" + (value + ",") * times + "1]"


# ---------------------------------------------------------------- task sets

TOO_LARGE = r"tasks\.jsonl(\.gz)?:\d+:\d+: the tasks up to here take more than 128 MiB of memory \(split the task set\)"
SETS = {
    "objects": (call_of(many("{}", 4000000)), TOO_LARGE),
    "lists": (call_of(many("[]", 2000000)), TOO_LARGE),
    "numbers": (call_of(many("1", 8000000)), TOO_LARGE),
    "texts": (call_of(many('""', 3000000)), TOO_LARGE),
    "members": (call_of(many('{"":1}', 1000000)), TOO_LARGE),
    "other-values": ('{"task_id":1,"test_list":["assert 1"],"x":%s}\n' % many("{}", 4000000), TOO_LARGE),
    "many-tasks": ("".join('{"id":"%x","expect":"x"}\n' % i for i in range(220000)), TOO_LARGE),
    "prompts": ("".join('{"id":"%x","expect":"x","prompt":"%s"}\n' % (i, "p" * 99999) for i in range(800)), TOO_LARGE),
    "cases": ('{"id":"b","cases":%s}\n' % many('{"input":1,"expect":1}', 300000), TOO_LARGE),
    "levels": (call_of("[" * MB + "]" * MB), r"tasks\.jsonl:1:282: more than 256 levels of lists and objects"),
    "levels-open": ("[" * 30 * MB, r"tasks\.jsonl:1:257: more than 256 levels|is not an array of objects|split the task set"),
    "a-line": ("x" * 40 * MB, r"tasks\.jsonl:1: the line has more than 33554432 bytes"),
    "an-array": ("[\n" + ('{"id":"a","expect":"%s"},\n' % ("x" * MB)) * 40, "has more than 33554432 bytes .*one object a line"),
    "blank": ("\n" * 20 * MB, "is empty"),
    "torn": ('[{"id":"a","expect":"' + "x" * 20 * MB, "is not an array of objects|not valid JSON"),
    "surrogates": ('{"id":"a","expect":"%s"}\n' % ("\\ud800" * 2 * MB), ""),
    "a-text": ('{"id":"a","stdin":"%s","expect":"x"}\n' % ("x" * 20 * MB), ""),
    "escapes": ('{"id":"a","stdin":"%s","expect":"x"}\n' % ("\\u0001" * 2 * MB), ""),
    "digits": (call_of("1" * 9 * MB), ""),
    "fraction": (call_of("0." + "1" * 9 * MB), ""),
    "exponents": (call_of(many("1e999999", 300000)), ""),
    "reals": (call_of(many("1.2345678901234567e-300", 100000)), ""),
    "round-reals": (call_of(many("1e15", 300000)), ""),
    "keys": (call_of("{%s}" % ",".join('"%x":1' % i for i in range(200000))), ""),
    "objects-that-fit": (call_of(many("{}", 350000)), ""),
}


@pytest.mark.parametrize("name", SETS)
def test_task_set(hood, name):
    text, pattern = SETS[name]
    tasks = hood.file("tasks.jsonl", text)
    run = measured(hood, len(text), "eval", tasks, "--candidates", "none", "--out", hood.folder / "out")
    if pattern:
        expect_refusal(run, 2, pattern)
    else:
        assert run.status in (1, 2) and not (run.status == 2 and "memory" in run.said), run


@pytest.mark.parametrize("name", ["objects", "numbers", "levels", "blank"])
def test_packed_task_set_is_bounded_by_what_it_becomes(hood, name):
    packed = gzip.compress(SETS[name][0].encode(), 9)
    assert len(packed) < 100000
    tasks = hood.file("tasks.jsonl.gz", packed)
    expect_status(measured(hood, 0, "eval", tasks, "--candidates", "none", "--out", hood.folder / "out"), 2)


@pytest.mark.parametrize("members", [10, 100])
def test_packed_bomb(hood, members):
    """A GB of it must not be unpacked to see that it is one."""
    packed = gzip.compress(b" " * (10 * MB), 6) * members
    tasks = hood.file("tasks.jsonl.gz", packed)
    refused(hood, len(packed), "more than 100 times as large|the line has more than", "eval", tasks, "--candidates", "none",
            "--out", hood.folder / "out")


def test_rows_of_many_samples_and_cases(hood):
    """Each of a hundred thousand samples that are nothing is to be judged by each of a thousand cases."""
    tasks = hood.file("t.jsonl", json.dumps({"id": "a", "prompt": "p", "cases": [{"input": 1, "expect": 1} for _ in range(1000)]}))
    candidates = hood.file("c.jsonl", '{"prompt":"p","samples":[%s]}\n' % ",".join(["null"] * 100000))
    refused(hood, 600000, "there are too many: more than 16777216 samples and cases", "eval", tasks, "--candidates",
            candidates, "--out", hood.folder / "out")


# ---------------------------------------------------------------- candidates

STDIO = '{"id":"a","stdin":"x","expect":"x\\n"}\n'
LINES = {
    "objects": ('{"task_id":"a","solution":"","more":%s}\n' % many("{}", 4000000), r"c\.jsonl:1:\d+: its values would take more than 48 MiB"),
    "samples": ('{"prompt":"p","samples":[%s]}\n' % ",".join(['"%s"' % ("x" * MB)] * 14), ""),
    "code": ('{"task_id":"a","solution":"%s"}\n' % ("#" * 15 * MB), r"c\.jsonl:1:\d+: its values would take more than 48 MiB"),
    "a-line": ("x" * 20 * MB, "the line has more than 16777216 bytes"),
    "unknown": ('{"task_id":"zzz","solution":""}\n' * 300000, "no candidate is for any of these tasks"),
}


@pytest.mark.parametrize("name", LINES)
def test_candidates(hood, name):
    text, pattern = LINES[name]
    tasks, candidates = hood.file("t.jsonl", STDIO), hood.file("c.jsonl", text)
    run = measured(hood, len(text), "eval", tasks, "--candidates", candidates, "--out", hood.folder / "out")
    expect_refusal(run, 2, pattern)


def test_folder_of_many_files(hood):
    folder = hood.folder / "c"
    folder.mkdir()
    for i in range(20000):
        (folder / ("f%d.py" % i)).symlink_to("/dev/zero")
    tasks = hood.file("t.jsonl", STDIO)
    refused(hood, MB, "no candidate is for any of these tasks", "eval", tasks, "--candidates", folder, "--out", hood.folder / "out")


def test_huge_files_of_candidates_and_programs(hood):
    """10 GB on a disk that has them as a hole."""
    folder = hood.folder / "c"
    folder.mkdir()
    tasks = hood.file("t.jsonl", STDIO)
    for path in (folder / "a.py", hood.folder / "huge.py"):
        with open(path, "wb") as file:
            file.truncate(10 << 30)
    run = measured(hood, MB, "eval", tasks, "--candidates", folder, "--out", hood.folder / "out")
    assert run.status in (1, 2), run
    refused(hood, MB, "has more than", "run", hood.folder / "huge.py")
    refused(hood, MB, "have more than", "run", "--input", "%s:x" % (hood.folder / "huge.py"), hood.file("p.sh", "exit 0\n"))
    refused(hood, MB, "have more than 268435456 bytes", "run", "--limit", "scratch_bytes=unlimited", "--input",
            "%s:x" % (hood.folder / "huge.py"), hood.file("p.sh", "exit 0\n"))


# ---------------------------------------------------------------- what a guest says

VALUES = {
    "dicts": "def solution(x): return [{} for _ in range(340000)]",
    "lists": "def solution(x): return [[] for _ in range(200000)]",
    "reals": "def solution(x): return [1.2345678901234567e-300] * 40000",
    "whole": "def solution(x): return [10 ** 19] * 30000",
    "text": "def solution(x): return '\\x01' * 150000",
    "members": "def solution(x): return {str(i): [] for i in range(60000)}",
}


@pytest.mark.parametrize("name", VALUES)
def test_value_of_a_guest(hood, name):
    tasks = hood.file("t.jsonl", call_of("1"))
    candidates = hood.file("c.jsonl", json.dumps({"task_id": "b", "solution": VALUES[name]}) + "\n")
    run = measured(hood, 8 * MB, "eval", tasks, "--candidates", candidates, "--out", hood.folder / "out", "--jobs", "1", status=1)
    assert results_of(hood.folder / "out")[0]["verdict"] in ("wrong-answer", "output-limit", "runtime-error"), run


def test_all_bounds_of_an_evaluation_at_once(hood):
    """A set and candidates as large as they may be, outputs as large as they are kept, and many workers."""
    tasks = hood.file("t.jsonl", STDIO + call_of(many("[]", 600000)).replace('"b"', '"g"'))
    loud = "import sys\nfor i in range(9):\n    sys.stdout.write('x' * (1 << 20)); sys.stderr.write('\\x01' * (1 << 20))\n#"
    candidates = hood.file("c.jsonl", (json.dumps({"task_id": "a", "solution": loud + "#" * 3 * MB}) + "\n") * 3)
    policy = hood.policy("p.yaml", "schema: fumehood.policy/1\nname: loud\nlimits:\n  stdout_bytes: 64MiB\n  stderr_bytes: 64MiB\n"
                         "  memory_bytes_if_available: 512MiB\n  cpus_if_available: 1\n")
    run = measured(hood, 100 * MB, "eval", tasks, "--candidates", candidates, "--policy", policy, "--jobs", "3",
                   "--out", hood.folder / "out", status=1)
    assert len(results_of(hood.folder / "out")) == 4, run


# ---------------------------------------------------------------- receipts

@pytest.fixture(scope="module")
def receipt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("receipt")
    made = Hood(folder, "n" + secrets.token_hex(8)).shell("exit 0")
    return expect_status(made, 0).receipt_path.read_text()


RECEIPTS = {
    "objects": many("{}", 5000000),
    "objects-that-fit": many("{}", 500000),
    "reals": many("1e15", 300000),
    "text": '"%s"' % ("x" * 20 * MB),
    "escapes": '"%s"' % ("\\u0001" * 3 * MB),
    "levels": "[" * MB,
    "keys": '{"%s":1,"%s":2}' % ("k" * 9 * MB, "k" * 9 * MB + "l"),
    "members": "{%s}" % ",".join('"%x":1' % i for i in range(300000)),
}


@pytest.mark.parametrize("name", RECEIPTS)
def test_receipt(hood, receipt, name):
    text = receipt.rstrip()[:-1] + ',"more":%s}\n' % RECEIPTS[name]
    path = hood.file("r.json", text)
    expect_status(measured(hood, len(text), "receipt", "verify", path), 1)
    assert measured(hood, len(text), "receipt", "show", path).status in (0, 2)
    assert measured(hood, len(text), "receipt", "show", "--json", path).status in (0, 2)
    expect_status(measured(hood, len(text), "receipt", "show", "--run", "nothing", path), 2)


@pytest.mark.parametrize("text", ["x" * 60 * MB, "\n" * 30 * MB, "{\n" * 10 * MB, "{}\n" * 5 * MB], ids=["line", "blank", "open", "empty"])
def test_no_receipt(hood, text):
    path = hood.file("r.json", text)
    assert measured(hood, len(text), "receipt", "verify", path).status in (1, 2)
    expect_status(measured(hood, len(text), "receipt", "show", path), 2)


def test_largest_receipt_can_be_verified(hood):
    """What is written can be read: both streams as full as they are kept, of bytes that take most room."""
    for byte in ("x", "\\n", "\\xe2\\x82\\xac"):
        source = ("import sys\nfor i in range(9):\n    sys.stdout.buffer.write(b'%s' * (1 << 20)); sys.stderr.buffer.write(b'%s' * (1 << 20))\n"
                  % (byte, byte))
        program, out = hood.program(source, "py"), hood.folder / "r.json"
        run = measured(hood, 100 * MB, "run", "--limit", "stdout_bytes=64MiB", "--limit", "stderr_bytes=64MiB", "--receipt", out, program,
                       status=0)
        assert json.loads(out.read_text())["stdout"]["kept_bytes"] == 8 * MB, run
        expect_status(measured(hood, out.stat().st_size, "receipt", "verify", out), 0)


def test_results_and_manifest_of_a_stranger(hood):
    tasks, out = hood.file("t.jsonl", STDIO), hood.folder / "out"
    candidates = hood.file("c.jsonl", json.dumps({"task_id": "a", "solution": "print(input())"}) + "\n")
    expect_status(measured(hood, MB, "eval", tasks, "--candidates", candidates, "--out", out), 0)
    whole = (out / "results.jsonl").read_text()
    for more in ('{"verdict":"skipped","run_id":null,"x":%s}\n' % many("{}", 300000), "{}\n" * 100000, "[" * MB, "\n" * 9 * MB, "x" * 9 * MB):
        (out / "results.jsonl").write_text(whole + more)
        assert measured(hood, len(more), "receipt", "verify", out / "receipts.jsonl").status in (0, 1, 2)
        assert measured(hood, len(more), "eval", tasks, "--candidates", candidates, "--out", out, "--resume").status in (0, 1, 2)
    (out / "results.jsonl").write_text(whole)
    (out / "eval.json").write_text(many("{}", 2000000))
    assert measured(hood, 6 * MB, "eval", tasks, "--candidates", candidates, "--out", out, "--resume").status in (1, 2)


# ---------------------------------------------------------------- policies and attacks

DOCUMENTS = {
    "tags": "".join("%%TAG !a%x! tag:b,2000:\n" % i for i in range(38000)) + "---\na: b\n",
    "flow": "a: " + "[" * (MB - 10),
    "json-levels": "[" * (MB - 10),
    "json-objects": many("{}", 340000),
    "lists": "- " * (MB // 2 - 10),
    "items": "a:\n" + "- x\n" * (MB // 4 - 10),
    "keys": "".join("k%06x: 1\n" % i for i in range(90000)),
    "same-key": "{" + ",".join('"k":1' for _ in range(150000)) + "}",
    "scalar": 'a: "' + "x" * (MB - 10) + '"',
    "folded": "a: >\n" + " x\n" * (MB // 3 - 10),
    "long-key": '"' + "x" * (MB - 20) + '": 1',
    "aliases": "a: &a [x, x]\n" + "".join("b%d: [*a, *a, *a]\n" % i for i in range(9)),
    "escapes": 'a: "' + "\\x41" * (MB // 4 - 10) + '"',
    "nul": "\0" * (MB - 10),
    "comments": "#\n" * (MB // 2 - 10),
    "environment": "schema: fumehood.policy/1\nname: x\nenvironment:\n" + "".join("  K%d: x\n" % i for i in range(60000)),
    "calls": "schema: fumehood.policy/1\nname: x\nsyscalls: {name: y, allow: [%s]}\n" % ", ".join(["read"] * 90000),
    "larger": "a: " + "x" * 2 * MB,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_policy(hood, name):
    policy = hood.file("p.yaml", DOCUMENTS[name])
    run = measured(hood, len(DOCUMENTS[name]), "run", "--policy", policy, hood.file("p.sh", "exit 0\n"))
    expect_refusal(run, 2, "p.yaml")
    assert measured(hood, MB, "policy", "check", policy).status != 0


@pytest.mark.parametrize("name", ["tags", "flow", "json-objects", "items", "keys", "larger"])
def test_attack_folder(hood, name):
    hood.file("attacks/one/attack.sh", "exit 0\n")
    hood.file("attacks/one/expect.yaml", DOCUMENTS[name][:262000] if name != "larger" else DOCUMENTS[name])
    refused(hood, MB, "expect.yaml", "drill", "--attacks", hood.folder / "attacks")


def test_folder_of_many_attacks(hood):
    for i in range(3000):
        (hood.folder / "attacks" / ("a%d" % i)).mkdir(parents=True)
    refused(hood, MB, "attacks: holds more than 2000 attacks", "drill", "--attacks", hood.folder / "attacks")


# ---------------------------------------------------------------- large and right

def test_large_sets_are_right(hood):
    """A task of 80,000 cases, and one with a value of some MB."""
    cases = [{"name": "c%d" % i, "args": [i, [i]], "expect": i} for i in range(80000)]
    tasks = hood.file("t.jsonl", json.dumps({"id": "a", "cases": cases}) + "\n" + call_of(many("7", 100000)))
    size = tasks.stat().st_size
    run = measured(hood, size, "eval", tasks, "--candidates", "none", "--ids", "b", "--out", hood.folder / "out")
    assert run.status == 1 and len(results_of(hood.folder / "out")) == 1, run


@pytest.mark.parametrize("tasks", ["human-eval/HumanEval.jsonl.gz", "mbpp/mbpp.jsonl", "leetcode/LeetCodeDataset-v0.2.0-test.jsonl.gz"])
def test_public_sets_are_far_below(hood, tasks):
    path = public(*tasks.split("/"))
    run = measured(hood, path.stat().st_size * 10, "eval", path, "--candidates", "none", "--out", hood.folder / "out")
    assert run.status in (1, 2) and "memory" not in run.said and run.megabytes < 100, run
