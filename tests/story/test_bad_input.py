"""Whatever is handed over: the right status, one clear line with the place in it, nothing lost, nothing left."""
import json
import os
import random
import subprocess

import pytest

from hood import *

GOOD_TASK = {"id": "echo", "prompt": "Print the input.", "stdin": "x\n", "expect": "x\n"}

# ---------------------------------------------------------------- programs


def test_program_missing(hood):
    expect_refusal(hood.call("run", hood.folder / "nowhere.py"), 127, "nowhere.py")


def test_program_is_a_folder(hood):
    folder = hood.folder / "folder.py"
    folder.mkdir()
    expect_refusal(hood.call("run", folder), 2, "folder.py", "regular file|directory|folder")


def test_program_is_a_fifo(hood):
    """Nobody writes to it: fumehood must not wait."""
    os.mkfifo(hood.folder / "fifo.py")
    expect_refusal(hood.call("run", hood.folder / "fifo.py", timeout=10), 2, "fifo.py")


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/tty"])
def test_program_is_a_device(hood, device):
    need(os.path.exists(device), "%s is not here" % device)
    expect_refusal(hood.call("run", "--runtime", "python", device, timeout=10), 2, device)


def test_program_is_a_socket(hood):
    import socket
    with socket.socket(socket.AF_UNIX) as end:
        path = "/tmp/story-%s.py" % hood.nonce
        end.bind(path)
        try:
            run = hood.call("run", path)
        finally:
            os.unlink(path)
    assert run.status in (2, 126) and len(run.said.splitlines()) == 1, run


def test_program_that_may_not_be_read(user_hood):
    path = user_hood.file("closed.py", "print(1)", mode=0)
    if is_root():
        os.chown(path, 0, 0)
    run = user_hood.call("run", "--policy", "if-available", path)
    assert run.status in (2, 126), run
    expect_one_line(run, "closed.py", "[Pp]ermission")


def test_program_link_to_nowhere_and_to_itself(hood):
    (hood.folder / "nowhere.py").symlink_to("not-there")
    (hood.folder / "loop.py").symlink_to("loop.py")
    expect_refusal(hood.call("run", hood.folder / "nowhere.py"), 127, "nowhere.py")
    run = hood.call("run", hood.folder / "loop.py")
    assert run.status in (2, 125, 126, 127), run
    expect_one_line(run, "loop.py")


def test_program_empty(hood):
    run = expect_status(hood.python(""), 0)
    assert run.out == b"" and run.err == b""
    expect_ending(run, "exited", exit_code=0)
    assert run.receipt["program"]["bytes"] == 0


def test_program_empty_without_a_language(hood):
    run = hood.call("run", hood.file("empty-" + hood.nonce, b""))
    assert run.status in (2, 127), run
    expect_one_line(run, "empty-" + hood.nonce, "runtime|language")


def test_program_of_random_bytes(hood):
    noise = random.Random(7).randbytes(5000)
    run = hood.run(hood.file("noise-%s.py" % hood.nonce, noise))
    assert run.status == 1 and run.ending["kind"] == "exited", run
    run = hood.call("run", hood.file("noise2-" + hood.nonce, noise))
    assert run.status in (2, 127), run
    expect_one_line(run, "noise2", "--runtime")


def test_program_broken_elf(hood):
    broken = hood.file("elf-" + hood.nonce, b"\x7fELF\x02\x01\x01" + b"\0" * 200, mode=0o755)
    run = hood.call("run", broken)
    assert run.status in (2, 125, 126, 127), run
    assert run.said.startswith("fumehood: "), run


def test_program_of_another_machine(hood):
    header = bytearray(64)
    header[:20] = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0" + b"\xb7\0"
    run = hood.call("run", hood.file("arm-" + hood.nonce, bytes(header), mode=0o755))
    assert run.status in (2, 125, 126, 127) and run.said.startswith("fumehood: "), run


def test_program_of_a_hundred_megabytes(hood):
    path = hood.folder / ("large-%s.py" % hood.nonce)
    with open(path, "wb") as file:
        file.truncate(100 << 20)
    run = hood.call("run", path)
    assert run.seconds < 15
    expect_refusal(run, 2, "large-", "large|bytes|MiB")


def test_program_that_fits_just_so(hood):
    source = "print('x')\n" + "#" * (1 << 20) + "\n"
    assert hood.python(source).out == b"x\n"


@pytest.mark.parametrize("name", ["-dash.py", "new\nline.py", "\x1b[31mred.py", "..py", "x" * 250 + ".py", "a:b.py", "'quote\".py"])
def test_program_with_a_hostile_name(hood, name):
    path = hood.file(name, "print('ran')")
    run = hood.call("run", path)
    assert run.status in (0, 2), run
    assert (run.out == b"ran\n") == (run.status == 0)
    assert b"\x1b" not in run.err and run.said.count("\n") <= 1


def test_shebang_of_nothing_known(hood):
    for line in ("#!/usr/bin/env cobol\n", "#!\n", "#!/\n", "#!" + "x" * 5000 + "\n", "#!/usr/bin/env -S python3 -I\n"):
        run = hood.call("run", hood.file("bang-" + hood.nonce, line + "print(1)\n"))
        assert run.status in (0, 2, 127) and run.said.count("\n") <= 1, run


def test_unknown_runtime(hood):
    line = expect_refusal(hood.call("run", "--runtime", "cobol", hood.program("print(1)", "py")), 127, "cobol")
    assert "python" in line, "does not say which there are: " + line


def test_unknown_extension(hood):
    run = hood.call("run", hood.file("x-%s.cobol" % hood.nonce, "DISPLAY 1"))
    assert run.status in (2, 127), run
    expect_one_line(run, "cobol", "--runtime")


# ---------------------------------------------------------------- options

@pytest.mark.parametrize("words", [
    ["--nonsense"], ["-z"], ["--limit"], ["--env", "NOVALUE"], ["--env", "=x"], ["--env", "1A=x"], ["--env", "A B=x"],
    ["--env", "X=1", "--env", "X=2"], ["--tier", "none"], ["--tier", "nothing"], ["--stdin", "/nowhere/at/all"],
    ["--input", "/nowhere/at/all"], ["--policy", "/nowhere/at/all.yaml"], ["--policy", "no-such-name"], ["--json=yes"],
    ["--limit", "wall_ms=5s", "--limit", "wall_ms=6s"], ["--limit", "wall_ms=5s", "--limit", "wall_ms_if_available=5s"], ["--receipt", "-"],
    ["--input", "/etc/hostname:../x"], ["--input", "/etc/hostname:/etc/x"], ["--input", "/etc/hostname:a//b"], ["--input", "/etc/hostname:."],
    ["--input", "/etc"], ["--receipt", "/nowhere/at/all/r.json"], ["--receipt", "/"],
])
def test_bad_options(hood, words):
    expect_refusal(hood.call("run", *words, hood.program("print(1)", "py")), 2)


@pytest.mark.parametrize("tier", ["process", "gvisor", "microvm", "host"])
def test_a_tier_that_is_not_there_is_refused(hood, tier):
    expect_refusal(hood.call("run", "--tier", tier, hood.program("print(1)", "py")), 126, tier)


def test_no_program_and_too_many(hood):
    expect_refusal(hood.call("run"), 2)
    program = hood.program("print(1)", "py")
    expect_refusal(hood.call("run", program, program), 2)


def test_an_input_may_not_hide_the_program(hood):
    program = hood.program("print('mine')", "py")
    run = hood.call("run", "--input", "%s:%s" % (hood.file("other", "print('other')"), program.name), program)
    assert run.status == 2 or run.out == b"mine\n", run


def test_a_receipt_that_cannot_be_written_is_found_before_the_run(hood, small_disk):
    folder = small_disk(65536, ",ro")
    run = hood.call("run", "--receipt", folder / "r.json", hood.program("print('ran')", "py"))
    assert run.status in (2, 125) and run.out == b"", run
    expect_one_line(run, "r.json|disk")


def test_full_disk_for_the_receipt(hood, small_disk):
    folder = small_disk(8192)
    subprocess.run("head -c 100000 /dev/zero > %s/fill" % folder, shell=True, stderr=subprocess.DEVNULL)
    run = hood.call("run", "--receipt", folder / "r.json", hood.program("print('ran' * 5000)", "py"))
    assert run.status == 125 and "No space" in run.said, run
    assert run.out == b"ran" * 5000 + b"\n", "the output is lost too"
    assert os.listdir(folder) == ["fill"], "a part of a receipt: %s" % os.listdir(folder)


def test_full_disk_on_stdout(hood):
    need(os.path.exists("/dev/full"), "/dev/full is not here")
    for words in (["run", "--json"], ["run"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(hood.command(*words, hood.program("print('x' * 100000)", "py")), stdout=full, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, timeout=30)
        assert done.returncode == 125 and b"fumehood: " in done.stderr, (words, done)
        assert b"reader" not in done.stderr, (words, done)


@pytest.mark.parametrize("words", [["run"], ["run", "--json"], ["policy", "show"], ["policy", "explain", "--syscalls"], ["version"]])
def test_a_closed_stdout_is_not_a_full_disk(hood, words):
    program = [hood.program("print('x')", "py")] if words[0] == "run" else []
    done = subprocess.run(hood.command(*words, *program), preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=30)
    assert done.returncode == 125 and b"space" not in done.stderr, done
    assert b"closed" in done.stderr or words == ["run"], done
    assert done.stderr.count(b"\n") == 1, done


# ---------------------------------------------------------------- policies

BAD_YAML = [
    ("limits:\n\twall_ms: 5\n", r":2:1: .*\(indent with blanks"),
    ("name: x\nlimits\n  wall_ms: 5s\n", r":2:1: .*\(write .key: value"),
    ("limits:\n  wall_ms:5s\n", r":2:3: .*\(write .key: value.*blank after the colon"),
    ("limits:\n  wall_ms 5s\n", r":2:3: .*\(write .key: value.*colon and a blank"),
    ("limits:\nwall_ms: 5s\n", r":2:1: .*\(put it below limits"),
    ("limits:\n", r":1:8: limits is empty"),
    ("limits:\n  wall_ms: 5 sec\n", r":2:12: .*ms, s, m or h"),
    ("limits:\n  processes: 0.5\n", r":2:14: .*\(a whole number from 1; no limit: \{unlimited"),
    ("netwrok: none\n", r":1:1: .*did you mean network"),
    ("limits:\n  wall_ms: [1\n", r":\d+:\d+: "),
    ("limits:\n\twall_ms: 5\n", r":2:\d+: "),
    ("name: 'x\n", r":\d+:\d+: "),
    ("nonsense: 1\n", r":1:1: .*nonsense"),
    ("name: x\nlimits:\n  wall_ms: 5s\n  walls_ms: 5s\n", r":4:3: .*walls_ms"),
    ("network: none\nnetwork: none\n", r":2:1: .*network"),
    ("limits:\n  wall_ms: 5s\n  wall_ms: 6s\n", r":3:3: .*wall_ms"),
    ("limits: 5\n", r":1:9: "),
    ("limits:\n  wall_ms: {}\n", r":2:\d+: "),
    ("limits:\n  wall_ms: [5s]\n", r":2:12: "),
    ("limits:\n  wall_ms: 0\n", r":2:12: .*wall_ms"),
    ("limits:\n  wall_ms: -5\n", r":2:12: .*wall_ms"),
    ("limits:\n  memory_bytes: 99999999999999999999999\n", r":2:17: .*memory_bytes"),
    ("limits:\n  wall_ms: soon\n", r":2:12: "),
    ("limits:\n  wall_ms: unlimited\n", r":2:\d+: .*(reason|why)"),
    ("limits:\n  wall_ms: 5s\n  wall_ms_if_available: 6s\n", r":3:3: "),
    ("network: maybe\n", r":1:10: .*maybe"),
    ("denials: perhaps\n", r":1:10: "),
    ("denied_calls: 0\n", r":1:15: .*is zero \(a whole number from 1; no limit: unlimited\)"),
    ("denied_calls: -3\n", r":1:15: .*is negative"),
    ("denied_calls: 99999999999999999999999\n", r":1:15: .*is too large"),
    ("denied_calls: 7\ndenials: end\n", r":1:15: .*the first"),
    ("output_limit: 7\n", r":1:15: "),
    ("- a\n- b\n", r":1:1: "),
    ("just text\n", r":1:1: "),
    ("name: &a x\ndenials: *a\n", r":\d+:\d+: "),
    ("name: !!python/object:os.system x\n", r":1:\d+: "),
    ("name: x\n---\nname: y\n", r":\d+:\d+: "),
    ("environment:\n  1A: x\n", r":2:\d+: "),
    ("name: \"\\xff\\x00\"\n", r":\d+:\d+: "),
    ("a: " * 0 + "[" * 500 + "\n", r":\d+:\d+: "),
    ("name: x\xff\xfe\n".encode("latin-1"), r":\d+:\d+: "),
    (b"name: x\0y\n", r":\d+:\d+: "),
]
BAD_JSON = [
    ('{"limits": {"wall_ms": 5,}}', r":1:25: .*comma"),
    ('{"limits": {"wall_ms": 5}', r":1:\d+: "),
    ('{\n  "limits": {\n    "wall_ms": 5,\n  }\n}', r":[34]:\d+: "),
    ('{"name": "x", "name": "y"}', r":1:\d+: .*name"),
    ('{"nonsense": 1}', r":1:\d+: .*nonsense"),
    ('{\n "limits": {"wall_ms": 0}}', r":2:\d+: .*wall_ms"),
    ('{"limits": {"wall_ms": -5}}', r":1:\d+: .*wall_ms"),
    ('{"limits": {"wall_ms": 1e99}}', r":1:\d+: .*wall_ms"),
    ('{"limits": {"wall_ms": true}}', r":1:\d+: "),
    ('{"limits": {"wall_ms": null}}', r":1:\d+: "),
    ('[]', r":1:1: "),
    ('{} {}', r":1:\d+: "),
    ('{"name": "\\ud800"}', r":1:\d+: "),
]


@pytest.mark.parametrize("number", range(len(BAD_YAML) + len(BAD_JSON)))
def test_bad_policies(hood, number):
    text, where = (BAD_YAML + BAD_JSON)[number]
    policy = hood.file("policy.yaml" if number < len(BAD_YAML) else "policy.json", text)
    expect_refusal(hood.call("run", "--policy", policy, hood.program("print(1)", "py")), 2, re.escape(policy.name) + where)
    check = hood.call("policy", "check", policy)
    expect_refusal(check, 1, re.escape(policy.name) + where)


@pytest.mark.parametrize("text", ["", "# only a comment\n", "{}", "name: x\n", '{"name": "x"}', "\n\n", "\ufeffname: x\n"])
def test_small_policies_are_fine_or_clear(hood, text):
    run = hood.call("policy", "check", hood.file("small.yaml", text))
    assert run.status in (0, 1) and run.said.count("\n") == run.status, run
    if run.status == 0:
        shown = json.loads(hood.call("policy", "show", hood.folder / "small.yaml", "--json").out)
        assert shown["limits"] == json.loads(hood.call("policy", "show", "--json").out)["limits"], "not the default policy"


def test_policy_is_no_file(hood):
    os.mkfifo(hood.folder / "fifo.yaml")
    (hood.folder / "dir.yaml").mkdir()
    for name in ("fifo.yaml", "dir.yaml"):
        expect_refusal(hood.call("run", "--policy", hood.folder / name, hood.program("", "py"), timeout=10), 2, name)


def test_policy_of_a_gigabyte(hood):
    path = hood.folder / "huge.yaml"
    with open(path, "wb") as file:
        file.truncate(1 << 30)
    run = hood.call("policy", "check", path, timeout=30)
    assert run.status in (1, 2) and run.seconds < 10, run
    expect_one_line(run, "huge.yaml")


# ---------------------------------------------------------------- task sets and candidates

def lines(*tasks):
    return "".join(json.dumps(task) + "\n" for task in tasks)


BAD_TASKS = {
    "no-such-keys.jsonl": lines({"foo": 1}),
    "twice.jsonl": lines(GOOD_TASK, GOOD_TASK),
    "no-cases.json": json.dumps([{"id": "a", "prompt": "p", "cases": []}]),
    "empty.jsonl": "",
    "empty-list.json": "[]",
    "not-json.jsonl": "this is no JSON\n",
    "broken.json": '[{"id": "a", "prompt": "p"',
    "a-number.json": "7",
    "second-line.jsonl": lines(GOOD_TASK) + '{"id": \n',
    "dup-key.jsonl": '{"id": "a", "id": "b", "prompt": "p", "stdin": "", "expect": ""}\n',
    "number-id.jsonl": lines(dict(GOOD_TASK, id={"a": 1})),
    "empty-id.jsonl": lines(dict(GOOD_TASK, id="")),
    "path-id.jsonl": lines(dict(GOOD_TASK, id="../../etc/passwd\x00")),
    "nothing-expected.jsonl": lines(dict(GOOD_TASK, expect="")),
    "wrong-type.jsonl": lines(dict(GOOD_TASK, stdin=7)),
    "case-without-expect.json": json.dumps([{"id": "a", "prompt": "p", "cases": [{"name": "n", "input": 1}]}]),
    "case-with-both.json": json.dumps([{"id": "a", "prompt": "p", "cases": [{"name": "n", "input": 1, "args": [1], "expect": 1}]}]),
    "args-no-list.json": json.dumps([{"id": "a", "prompt": "p", "cases": [{"name": "n", "args": 1, "expect": 1}]}]),
    "same-case-names.json": json.dumps([{"id": "a", "prompt": "p", "cases": [{"name": "n", "input": 1, "expect": 1}, {"name": "n", "input": 2, "expect": 1}]}]),
    "entry-point.json": json.dumps([{"id": "a", "prompt": "p", "entry_point": "os.system('x')", "cases": [{"name": "n", "input": 1, "expect": 1}]}]),
    "no-test.jsonl": lines({"task_id": "T/0", "prompt": "p", "entry_point": "f", "canonical_solution": "pass"}),
    "torn.jsonl.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03garbage",
    "deep.json": "[" * 5000,
    "nul.jsonl": b'{"id": "a\0"}\n',
    "latin.jsonl": '{"id": "\xe4", "prompt": "p", "stdin": "", "expect": ""}\n'.encode("latin-1"),
}


@pytest.mark.parametrize("name", sorted(BAD_TASKS))
def test_bad_task_sets(hood, name):
    tasks = hood.file(name, BAD_TASKS[name])
    (hood.folder / "candidates").mkdir()
    out = hood.folder / "out"
    expect_refusal(hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", out), 2, re.escape(name))
    assert not (out / "results.jsonl").exists() or (out / "results.jsonl").read_text() == ""


def test_the_line_of_a_bad_task_is_said(hood):
    tasks = hood.file("third.jsonl", lines(GOOD_TASK, dict(GOOD_TASK, id="b")) + '{"id": "c",, }\n')
    expect_refusal(hood.call("eval", tasks, "--candidates", "none"), 2, r"third\.jsonl:3")


@pytest.mark.parametrize("make", ["missing", "folder", "fifo", "device"])
def test_task_set_is_no_file(hood, make):
    path = hood.folder / "tasks.jsonl"
    {"missing": lambda: None, "folder": path.mkdir, "fifo": lambda: os.mkfifo(path), "device": lambda: path.symlink_to("/dev/zero")}[make]()
    expect_refusal(hood.call("eval", path, "--candidates", "none", timeout=10), 2, "tasks.jsonl")


def test_candidate_folder_missing(hood):
    tasks = hood.file("tasks.jsonl", lines(GOOD_TASK))
    expect_refusal(hood.call("eval", tasks, "--candidates", hood.folder / "nowhere"), 2, "nowhere")
    expect_refusal(hood.call("eval", tasks), 2, "candidates")


BAD_CANDIDATES = {"not JSON": "oops\n", "no code": '{"task_id": "echo"}\n', "no object": "7\n",
                  "torn": '{"task_id": "echo", "completion": "print(1)"}\n{"task_id": "ec'}


@pytest.mark.parametrize("name", sorted(BAD_CANDIDATES))
def test_bad_candidate_lines(hood, name):
    tasks = hood.file("tasks.jsonl", lines(GOOD_TASK))
    candidates = hood.file("candidates.jsonl", BAD_CANDIDATES[name])
    expect_refusal(hood.call("eval", tasks, "--candidates", candidates), 2, r"candidates\.jsonl:\d")


def test_candidates_for_unknown_tasks_are_not_silently_dropped(hood):
    tasks = hood.file("tasks.jsonl", lines(GOOD_TASK))
    candidates = hood.file("candidates.jsonl", '{"task_id": "other", "completion": "print(1)"}\n')
    run = hood.call("eval", tasks, "--candidates", candidates, "--out", hood.folder / "out")
    assert run.status in (1, 2), run
    assert run.status == 2 or "other" in run.said or results_of(hood.folder / "out")[0]["verdict"] == "missing", run


def test_odd_things_in_a_candidate_folder(hood):
    tasks = hood.file("tasks.jsonl", lines(*(dict(GOOD_TASK, id=name) for name in ("fifo", "dir", "link", "gone", "good"))))
    folder = hood.folder / "candidates"
    hood.file("candidates/good.py", "print(input())")
    hood.file("candidates/unrelated.txt", "x")
    os.mkfifo(folder / "fifo.py")
    (folder / "dir.py").mkdir()
    (folder / "link.py").symlink_to("/etc/passwd")
    run = hood.call("eval", tasks, "--candidates", folder, "--out", hood.folder / "out", timeout=60)
    assert run.status in (1, 2, 3), run
    if run.status != 2:
        verdicts = {row["task_id"]: row["verdict"] for row in results_of(hood.folder / "out")}
        assert verdicts["good"] == "pass" and verdicts["gone"] == "missing", verdicts
        assert verdicts["fifo"] != "pass" and verdicts["dir"] != "pass" and verdicts["link"] != "pass"


def test_candidates_larger_than_may_be(hood):
    tasks = hood.file("tasks.jsonl", lines(GOOD_TASK, dict(GOOD_TASK, id="good")))
    hood.file("candidates/good.py", "print(input())")
    with open(hood.file("candidates/echo.py"), "wb") as file:
        file.truncate(300 << 20)
    run = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", timeout=60)
    assert run.status in (1, 2, 3), run
    if run.status != 2:
        assert {row["task_id"]: row["verdict"] == "pass" for row in results_of(hood.folder / "out")} == {"echo": False, "good": True}


# ---------------------------------------------------------------- places to write to

def many_tasks(hood, count):
    tasks = hood.file("tasks.jsonl", lines(*(dict(GOOD_TASK, id="t%03d" % n) for n in range(count))))
    for n in range(count):
        hood.file("candidates/t%03d.py" % n, "print(input())\nimport sys\nsys.stderr.write('e' * 3000)  # %d" % n)
    return tasks


def test_read_only_output_folder(hood, small_disk):
    tasks = many_tasks(hood, 1)
    folder = small_disk(65536, ",ro")
    run = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", "--out", folder / "out")
    assert run.status in (2, 3), run
    assert "Read-only" in run.said and run.said.count("fumehood: ") == 1, run


def test_output_folder_on_a_closed_way(user_hood):
    """What is there cannot be opened; only what is not there cannot be made."""
    hood = user_hood
    tasks = hood.file("t.json", '[{"id": "a", "stdin": "", "expect": "x"}]')
    (hood.folder / "closed").mkdir()
    (hood.folder / "closed").chmod(0)
    (hood.folder / "ours").mkdir()
    (hood.folder / "ours").chmod(0o555)
    words = ["eval", tasks, "--candidates", "none", "--if-available", "--out"]
    expect_refusal(hood.call(*words, hood.folder / "closed/x/y"), 3, "closed: cannot be opened")
    expect_refusal(hood.call(*words, hood.folder / "ours/x"), 3, "ours/x: cannot be made")


def test_output_folder_that_is_a_file(hood):
    run = hood.call("eval", many_tasks(hood, 1), "--candidates", hood.folder / "candidates", "--out", hood.file("taken", "mine"))
    expect_refusal(run, 2, "taken", "is not a folder")
    assert (hood.folder / "taken").read_text() == "mine"


def test_full_disk_then_room_again(hood, small_disk):
    """The results written so far stay whole; after making room, --resume does the rest."""
    tasks = many_tasks(hood, 12)
    folder = small_disk(40 << 10)
    words = ("eval", tasks, "--candidates", hood.folder / "candidates", "--out", folder / "out", "--jobs", "2")
    run = hood.call(*words, timeout=60)
    assert run.status == 3, run
    assert "No space" in run.said, run
    whole = [line for line in (folder / "out/results.jsonl").read_text().split("\n")[:-1]] if (folder / "out/results.jsonl").exists() else []
    done = {json.loads(line)["task_id"]: line for line in whole if json.loads(line)["verdict"] == "pass"}
    assert len(done) < 12
    subprocess.run(["mount", "-o", "remount,size=16m", str(folder)], check=True)
    again = hood.call(*words, "--resume", timeout=60)
    assert again.status == 0, again
    rows = results_of(folder / "out")
    assert sorted(row["task_id"] for row in rows if row["verdict"] == "pass") == ["t%03d" % n for n in range(12)]
    for task, line in done.items():
        assert line in (folder / "out/results.jsonl").read_text().split("\n"), "a finished result changed: " + task
    expect_status(hood.call("receipt", "verify", folder / "out/receipts.jsonl"), 0)


def test_output_folder_with_results_is_not_overwritten(hood):
    tasks = many_tasks(hood, 2)
    words = ("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out")
    expect_status(hood.call(*words), 0)
    before = (hood.folder / "out/results.jsonl").read_bytes()
    expect_refusal(hood.call(*words), 2, "out")
    assert (hood.folder / "out/results.jsonl").read_bytes() == before


def test_two_writers_in_one_folder(hood):
    tasks = hood.file("tasks.jsonl", lines(GOOD_TASK))
    hood.file("candidates/echo.py", "import time; time.sleep(3); print(input())")
    words = ("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out")
    first = subprocess.Popen(hood.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: (hood.folder / "out/results.jsonl").exists(), 5)
    time.sleep(0.2)
    second = hood.call(*words, "--resume")
    first.communicate(timeout=30)
    assert first.returncode == 0 and second.status == 2, second
