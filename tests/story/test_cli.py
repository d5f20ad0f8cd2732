"""The other verbs, help, and what scripts rely on."""
import fnmatch
import json
import os
import re
import subprocess

import pytest

from hood import *

VERBS = "run eval policy receipt doctor drill disable enable version".split()


def test_version(hood):
    run = expect_status(hood.call("version"), 0)
    assert re.fullmatch(r"fumehood \d+\.\d+\.\d+\S*\n", run.text), run
    version = json.loads(expect_status(hood.call("version", "--json"), 0).out)
    assert version["version"] in run.text
    assert hood.shell("exit 0").receipt["version"] == version["version"]
    assert hood.call("--version").text == run.text


def test_nothing_and_nonsense(hood):
    run = hood.call()
    assert run.status == 2 and run.out == b"" and run.err, run
    expect_refusal(hood.call("frobnicate"), 2, "frobnicate")
    expect_refusal(hood.call("policy", "frobnicate"), 2)
    expect_refusal(hood.call("receipt", "frobnicate"), 2)


@pytest.mark.parametrize("verb", ["", *VERBS, "policy show", "policy check", "policy hash", "policy explain", "policy learn", "receipt show", "receipt verify"])
def test_help_fits_a_terminal(hood, verb):
    run = expect_status(hood.call(*verb.split(), "--help"), 0)
    assert run.err == b"" and len(run.text.splitlines()) >= 3, run
    long = [line for line in run.text.splitlines() if len(line) > 80]
    assert not long, long
    assert hood.call(*verb.split(), "-h").text == run.text
    if not verb:
        assert all(re.search(r"^\s+%s\b" % name, run.text, re.M) for name in VERBS), run.text


@pytest.mark.parametrize("verb", VERBS)
def test_unknown_options(hood, verb):
    run = hood.call(verb, "--frobnicate")
    expect_status(run, 2)
    line = expect_one_line(run)
    assert "frobnicate" in line


@pytest.mark.parametrize("words", [["serve"], ["mcp"], ["lint"], ["generate"], ["receipt", "replay", "x"],
                                   ["run", "--artifact", "*.txt", "x.py"]])
def test_what_is_not_there_yet_is_a_clear_error(hood, words):
    expect_status(hood.call(*words), 2)


@pytest.mark.parametrize("words", ["run", "eval", "policy", "policy show", "receipt verify"])
def test_help_is_a_verb_too(hood, words):
    assert hood.call("help", *words.split()).text == hood.call(*words.split(), "--help").text
    expect_refusal(hood.call("help", "frobnicate"), 2, "frobnicate")


def test_a_mistyped_verb_or_option_is_guessed(hood):
    expect_refusal(hood.call("polcy"), 2, "did you mean policy")
    expect_refusal(hood.call("rnu"), 2, "did you mean run")
    expect_refusal(hood.call("eval", "t.jsonl", "c.jsonl"), 2, "unexpected .c.jsonl.: candidates are given by --candidates")
    expect_refusal(hood.call("drill", "fs-climb-out"), 2, "chosen by --only")
    expect_refusal(hood.call("receipt", "show", "DIR", "sum"), 2, "chosen by --task")
    expect_refusal(hood.call("run", "--recipt", "x", "y"), 2, "did you mean --receipt")
    expect_refusal(hood.call("run", "--tiemout", "5", "y"), 2, "did you mean --timeout")
    expect_refusal(hood.call("run", "--memroy", "1G", "y"), 2, "did you mean --memory")
    assert "did you mean" not in hood.call("run", "--frobnicate", "y").said


@pytest.mark.parametrize("words", [[], ["run"], ["eval"], ["policy"], ["disable"], ["enable"], ["policy", "explain"]])
def test_no_line_ends_with_a_blank(hood, words):
    for text in (hood.call(*words, "--help").text, hood.call("policy", "explain", "--syscalls").text):
        assert [line for line in text.splitlines() if line != line.rstrip()] == []


@pytest.mark.parametrize("words", [["policy", "explain", "--syscalls"], ["policy", "show"], ["--help"], ["run", "--help"]])
def test_a_reader_that_leaves_early_is_not_told(hood, words):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(hood.command(*words), stdout=write, stderr=subprocess.PIPE, timeout=20)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


# ---------------------------------------------------------------- policy

def test_policy_name_without_a_dot(hood):
    hood.file("mine", "name: x\n")
    expect_refusal(hood.call("policy", "check", "mine", cwd=hood.folder), 2, "for the file write ./mine")
    expect_status(hood.call("policy", "check", "./mine", cwd=hood.folder), 0)


def test_policy_show_writes_units(hood):
    text = hood.call("policy", "show").text
    assert "  wall_ms: 10s\n" in text and "  memory_bytes: 512MiB\n" in text and "  processes: 64\n" in text
    assert "  memory_bytes_if_available: 512MiB\n" in hood.call("policy", "show", "if-available").text


def test_policy_explain_lists_calls_when_asked(hood):
    short, long = hood.call("policy", "explain").text, hood.call("policy", "explain", "--syscalls").text
    assert "ptrace" not in short and "ptrace" in long and "denied attempt" in short
    assert len(short.splitlines()) < 240


def test_policy_that_is_right_but_not_here(user_hood):
    """What an ordinary user may not enforce is said with the check."""
    strict = user_hood.file("strict.yaml", "limits:\n  memory_bytes: 64MiB\n")
    check = expect_status(user_hood.call("policy", "check", strict), 0)
    refused = user_hood.call("run", "--policy", strict, user_hood.program("", "py")).status == 126
    assert check.text.startswith("%s: right\n" % strict)
    assert ("on this machine a run with it is refused: " in check.text) == refused, check


def test_env_replaces_what_the_policy_gives(hood):
    policy = hood.policy("p.yaml", "environment:\n  COLOUR: teal\n  SIZE: big\n")
    run = hood.shell("echo $COLOUR $SIZE", options=["--policy", policy, "--env", "COLOUR=red"])
    assert run.text == "red big\n", run

def test_policy_show_can_be_read_back(hood):
    for name in ("default", "if-available"):
        hashes = set()
        for extension, option in (("yaml", []), ("json", ["--json"])):
            shown = expect_status(hood.call("policy", "show", name, *option), 0)
            path = hood.file("%s.%s" % (name, extension), shown.out)
            expect_status(hood.call("policy", "check", path), 0)
            hashes.add(hood.call("policy", "hash", path).text)
        hashes.add(hood.call("policy", "hash", name).text)
        assert len(hashes) == 1, hashes
    assert hood.call("policy", "hash").text == hood.call("policy", "hash", "default").text
    assert hood.call("policy", "hash").text != hood.call("policy", "hash", "if-available").text


def test_policy_hash_is_that_of_the_receipt(hood):
    need_groups()
    policy = hood.file("mine.yaml", "name: mine\nlimits:\n  wall_ms: 5s\n  processes: 9\n")
    run = hood.shell("exit 0", options=["--policy", policy], marked=False)
    assert run.receipt["policy"] == {"sha256": hood.call("policy", "hash", policy).text.strip(), "name": "mine"}
    assert run.receipt["limits"]["wall_ms"]["value"] == 5000 and run.receipt["limits"]["processes"]["value"] == 9
    import hashlib
    shown = hood.call("policy", "show", policy, "--json").text.strip()
    assert hashlib.sha256(canonical(load_exact(shown)).encode()).hexdigest() == run.receipt["policy"]["sha256"]


def test_policy_order_and_spelling_do_not_change_its_hash(hood):
    one = hood.file("one.yaml", "name: x\nlimits:\n  wall_ms: 10s\n  memory_bytes: 512MiB\n")
    two = hood.file("two.json", '{"limits": {"memory_bytes": 536870912, "wall_ms": "10000"}, "name": "x"}')
    assert hood.call("policy", "hash", one).text == hood.call("policy", "hash", two).text
    three = hood.file("three.yaml", "name: x\nlimits:\n  wall_ms: 11s\n")
    assert hood.call("policy", "hash", one).text != hood.call("policy", "hash", three).text


def test_policy_defaults_are_the_promised_ones(hood):
    limits = json.loads(hood.call("policy", "show", "--json").out)["limits"]
    promised = {"wall_ms": 10_000, "memory_bytes": 512 << 20, "processes": 64, "open_files": 256, "scratch_bytes": 64 << 20,
                "stdout_bytes": 1 << 20, "stderr_bytes": 1 << 20, "value_bytes": 1 << 20, "cpus": 1}
    assert {key: limits[key] for key in promised} == promised
    assert set(limits) == set(LIMIT_KEYS)


def test_policy_explain_names_every_protection(hood):
    need_groups()
    text = expect_status(hood.call("policy", "explain"), 0).text
    requested = hood.shell("exit 0").receipt["protections"]["requested"]
    missing = [name for name in requested if name not in text]
    assert not missing, missing
    assert all(key in text for key in LIMIT_KEYS)
    assert "fumehood disable" in text


def test_policy_explain_has_a_file_and_its_kind_on_one_line(hood):
    """docs/policy.md: fumehood policy explain | grep host-settings"""
    text = expect_status(hood.call("policy", "explain"), 0).text
    lines = [line.split() for line in text.splitlines() if "host-settings (" in line]
    assert all(len(words) == 3 and words[0].startswith("/") for words in lines), lines


def test_policy_environment_and_if_available(hood):
    policy = hood.file("p.yaml", "name: p\nenvironment:\n  COLOUR: teal\nlimits:\n  memory_bytes_if_available: 128MiB\n  cpus_if_available: 1\n  idle_ms: {unlimited: it may sleep}\n")
    run = hood.shell("echo $COLOUR", options=["--policy", policy])
    assert run.text == "teal\n", run
    assert run.receipt["limits"]["memory_bytes"]["value"] == 128 << 20


def blocks_of(document, language):
    text = (REPO / document).read_text()
    return re.findall(r"^```%s\n(.*?)^```$" % language, text, re.M | re.S)


@pytest.mark.parametrize("document", ["README.md", "docs/policy.md"])
def test_policies_in_the_documents_are_right(hood, document):
    found = blocks_of(document, "yaml")
    assert found
    for text in found:
        expect_status(hood.call("policy", "check", hood.file("doc.yaml", text)), 0)


def test_tasks_in_the_documents_are_right(hood):
    found = [text for text in blocks_of("docs/tasks.md", "json") if "verdict" not in text]
    assert len(found) == 2
    for text in found:
        expect_status(hood.call("eval", hood.file("doc.json", text), "--candidates", "none", cwd=hood.folder), 1)


def test_documents_name_every_limit_with_its_default(hood):
    limits = json.loads(hood.call("policy", "show", "--json").out)["limits"]
    sizes = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "s": 1000, "": 1}
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", (REPO / "docs/policy.md").read_text(), re.M))
    for key, value in limits.items():
        number, unit = re.fullmatch(r"(\d*)(\D*)", rows[key]).groups()
        assert (isinstance(value, dict) and rows[key] == "unlimited") or int(number) * sizes[unit] == value, key


# ---------------------------------------------------------------- receipt

def test_receipt_show_and_verify(hood):
    run = hood.python("import os\nos.write(1, b'\\x1b[31mred\\x07 fine\\n')\nimport socket\ntry: socket.socket()\nexcept OSError: pass")
    shown = expect_status(hood.call("receipt", "show", run.receipt_path), 0)
    assert b"\x1b" not in shown.out and b"\x07" not in shown.out, "control bytes reach the terminal"
    assert run.receipt["run_id"] in shown.text and "socket(AF_INET)" in shown.text
    expect_status(hood.call("receipt", "verify", run.receipt_path), 0)
    data = run.receipt_path.read_bytes()
    run.receipt_path.write_bytes(data.replace(b'"exit_code":0', b'"exit_code":9'))
    assert hood.call("receipt", "verify", run.receipt_path).status == 1


def test_receipt_show_reads_well(hood):
    run = hood.python("import socket\ntry: socket.socket()\nexcept OSError: pass")
    text = hood.call("receipt", "show", run.receipt_path).text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    shown = re.findall(r"^(?:limits)? +(\w+) \S+, by ", text, re.M)
    assert shown == LIMIT_KEYS, shown
    load = re.search(r"load_1min (\S+)", text).group(1)
    assert len(load) < 8 and float(load) == run.receipt["environment"]["load_1min"]


def test_receipt_show_begins_with_what_happened(hood):
    run = hood.shell("echo 'missing       none'; echo; echo 'left behind   nothing'; exit 3")
    text = hood.call("receipt", "show", run.receipt_path).text
    lines = text.splitlines()
    first = [line.split()[0] for line in lines[:8]]
    assert first[:3] == ["run", "program", "ending"] and "stdout" in first and text.index("\nstdout") < text.index("\nlimits")
    assert "  | missing       none" in lines and "  | left behind   nothing" in lines and "  |" in lines
    assert len([line for line in lines if line.startswith(("missing", "left behind"))]) == 2  # none is the program's
    every = hood.call("receipt", "show", "--all", run.receipt_path).text
    settings = [mount for mount in run.receipt["mounts"] if mount["kind"] == "host-settings"]
    assert every.count("kind host-settings") == len(settings)
    assert not settings or "%d of kind host-settings" % len(settings) in text
    assert text.count("kind host-settings") == (1 if settings else 0)


def test_receipts_by_hand(hood):
    """What is no receipt is said in one line, and no byte of it reaches the terminal."""
    for name, content in {"empty": "", "text": "hello\n", "list": "[]\n", "object": "{}\n", "number": "7\n", "deep": "[" * 10000 + "\n",
                          "no hash": '{"schema":"fumehood.receipt/1"}\n', "bytes": b"\xff\xfe\0\n"}.items():
        verdict = hood.call("receipt", "verify", hood.file("bad.json", content))
        assert verdict.status in (1, 2), (name, verdict)
        assert len((verdict.said + verdict.text).splitlines()) == 1, (name, verdict)
        shown = hood.call("receipt", "show", hood.file("bad.json", content))
        assert shown.status in (0, 1, 2) and b"\xff" not in shown.out, (name, shown)


def test_receipt_of_nothing(hood):
    for verb in ("show", "verify"):
        expect_refusal(hood.call("receipt", verb, hood.folder / "nowhere.json"), 2, "nowhere")
        expect_refusal(hood.call("receipt", verb, hood.folder), 2)
        expect_refusal(hood.call("receipt", verb), 2)


# ---------------------------------------------------------------- doctor

def test_doctor(hood):
    run = hood.call("doctor")
    assert run.status in (0, 1) and len(run.text.splitlines()) > 5, run
    run = hood.call("doctor", "--json")
    report = json.loads(run.out)
    assert isinstance(report, dict) and run.err == b""
    text = json.dumps(report)
    assert "python" in text and "cgroup" in text


def test_doctor_of_an_ordinary_user(user_hood):
    run = user_hood.call("doctor")
    assert run.status in (0, 1) and len(run.text.splitlines()) > 5, run


def threats_of(hood):
    run = hood.call("doctor", "--json")
    report = json.loads(run.out)
    assert run.status == (0 if report["default_run_possible"] else 1) and report["tier"] == "container"
    return report, {row["id"]: row for row in report["threats"]}


def has_path(receipt, path):
    for key in path.split("."):
        if not isinstance(receipt, dict) or key not in receipt:
            return False
        receipt = receipt[key]
    return True


SAYERS = ("error", "doctor", "explain", "verify")


def test_doctor_has_every_threat(hood):
    """Prevention here, detection, recovery, the attacks that prove it, and what remains: each points at what is there."""
    report, threats = threats_of(hood)
    policy = hood.policy("p.yaml", "observe: [files]\n")
    receipt = expect_status(hood.shell("exit 0", options=["--policy", policy]), 0).receipt
    attacks = [path.parent.name for path in (REPO / "attacks").glob("*/expect.yaml")]
    assert len(threats) == len(report["threats"]) >= 40 and report["run"] in ("default", "if-available")
    assert {row["attacker"] for row in report["threats"]} == {"program", "output", "user", "peer", "author", "holder", "operator"}
    for row in report["threats"]:
        assert row["wants"] and row["recovery"] and row["state"] in ("held", "weaker", "open", "unbuilt"), row
        assert bool(row["drill"] or row["tests"]) == bool(row["prevention"]) == (row["state"] in ("held", "weaker")), row
        assert row["drill"] or row["residual"] or row["attacker"] != "program", row
        for wall in row["prevention"]:
            assert wall["here"] in ("stands", "weaker", "lost"), row
            if wall["word"] in receipt["protections"]["requested"]:
                achieved = wall["word"] in receipt["protections"]["achieved"]
                assert achieved == (wall["here"] != "lost"), (wall, receipt["protections"])
        assert [word for word in row["detection"] if word not in SAYERS and not has_path(receipt, word)] == [], row["id"]
        for test in row["tests"]:
            assert list((REPO / "tests").glob(test.split("::")[0] + ".*")), test
        for glob in row["drill"]:
            assert fnmatch.filter(attacks, glob), glob
        assert {word["word"] for word in row["residual"]} <= set(receipt["residual"]), row
    for word in ("read-files", "network", "memory", "outlives", "forged-results", "terminal", "kernel-bugs"):
        assert word in threats
    assert threats["side-channels"]["state"] == threats["kernel-bugs"]["state"] == "open"
    assert threats["broker"]["state"] == threats["harmful-files"]["state"] == "unbuilt"
    assert threats["kernel-bugs"]["residual"][0]["helps"] == "gvisor"


def test_doctor_prints_every_threat(hood):
    _, threats = threats_of(hood)
    short, full = hood.call("doctor", "--all").text, hood.call("doctor", "--threats").text
    for name, row in threats.items():
        assert re.search(r"^%s +%s +\S" % (row["state"], name), short, re.M), name
        part = full.split("\n%s: " % name, 1)[1].split("\n\n", 1)[0]
        assert all("\n  %s " % word in part for word in ("state", "prevention", "detection", "recovery", "drill")), part
        assert ("\n  remains " in part) == bool(row["residual"]), part
    assert [line for line in full.splitlines() if len(line) > 79 or line != line.rstrip()] == []


def test_doctor_says_what_an_ordinary_user_loses(user_hood):
    """Without control groups: in the matrix, and in the receipt of a run that goes on without."""
    report, threats = threats_of(user_hood)
    assert threats["network"]["state"] == "held"
    own = [row["found"].startswith("own ids") for row in report["checks"] if row["name"] == "identity_map"]
    assert threats["other-runs"]["state"] == ("held" if own == [True] else "weaker")  # every cage has the id of this user
    need(not report["default_run_possible"], "this user has control groups: nothing is lost")
    assert report["run"] == "if-available"
    lost = {wall["word"]: wall["here"] for wall in threats["processor"]["prevention"]}
    assert (lost["cgroup"], lost["cpus"], lost["cpu_ms"]) == ("lost", "lost", "weaker")
    assert threats["memory"]["state"] == threats["processes"]["state"] == "weaker"
    text = user_hood.call("doctor", "--all").text
    assert re.search(r"^weaker +memory .*\n +not here: memory_bytes \(.*", text, re.M) and "cgroup (lost)" in text
    receipt = user_hood.shell("exit 0", options=["--policy", "if-available"]).receipt
    assert "cgroup" in receipt["protections"]["missing"]


def test_what_remains_is_said_everywhere(hood):
    """The receipt, its text, policy explain and doctor name the same risks."""
    run = expect_status(hood.shell("exit 0"), 0)
    words = run.receipt["residual"]
    explained = hood.call("policy", "explain").text.split("What risk remains", 1)[1]
    shown = hood.call("receipt", "show", run.receipt_path).text
    _, threats = threats_of(hood)
    assert len(words) == len(set(words)) >= 5
    assert {row["word"] for threat in threats.values() for row in threat["residual"]} == set(words)
    for word in words:
        assert re.search(r"^  %s " % word, explained, re.M), word
        assert re.search(r"^residual risk .*(\n +.*)*\b%s\b" % word, shown, re.M), word


# ---------------------------------------------------------------- emergency stop

def stop_story(hood, options):
    program = hood.program("import time\nprint('up', flush=True)\ntime.sleep(60)", "py")
    running = hood.start(program, options=options)
    assert running.stdout.readline() == b"up\n"
    try:
        disabled = expect_status(hood.call("disable", "--why", "smoke in the hood"), 0)
        expect_one_line(disabled, "until fumehood enable")
        run = finish(running, 20)
        expect_ending(run, "cancelled")
        assert run.status not in (0, 124)
        refused = hood.call("run", *options, hood.program("print(1)", "py"))
        expect_refusal(refused, 126, "smoke in the hood")
        tasks = hood.file("t.json", json.dumps([{"id": "a", "prompt": "", "stdin": "", "expect": "x"}]))
        hood.file("candidates/a.py", "print('x')")
        judged = hood.call("eval", tasks, "--candidates", hood.folder / "candidates", *options)
        assert judged.status in (2, 3, 126) and "smoke in the hood" in judged.said, judged
        again = hood.call("disable", "--why", "second reason")
        assert again.status in (0, 2), again
    finally:
        expect_status(hood.call("enable"), 0)
    assert hood.run(program=hood.program("print('back')", "py"), options=options).out == b"back\n"
    assert hood.call("enable").status in (0, 1), "enabling twice"


def test_emergency_stop_of_one_user(user_hood):
    stop_story(user_hood, ["--policy", "if-available"])


def test_emergency_stop_of_one_user_is_only_his(user_hood, hood):
    need(is_root(), "not root: there is no second user to look from")
    try:
        expect_status(user_hood.call("disable", "--why", "mine only"), 0)
        expect_status(hood.shell("exit 0"), 0)
    finally:
        user_hood.call("enable")


@pytest.mark.alone
def test_emergency_stop_of_the_machine(hood):
    need(is_root(), "not root: the stop of the whole machine is not tested")
    need(not os.environ.get("FUMEHOOD_SHARED_MACHINE"), "others use this machine (FUMEHOOD_SHARED_MACHINE): its runs are not stopped")
    stop_story(hood, [])


def test_disable_needs_a_reason(hood):
    for words in ([], ["--why"], ["--why", ""]):
        expect_refusal(hood.call("disable", *words), 2)
    expect_status(hood.shell("exit 0"), 0)


@pytest.mark.parametrize("words", [["run", "--help"], ["run", "--unheard", "x"], ["run", "x", "--limit"], ["run", "/nowhere.py"]])
def test_a_wrong_command_line_leaves_nothing_to_reap(hood, words):
    """A launcher that reaps nobody, such as a container's first process, keeps what we leave behind."""
    watch = ("import ctypes, os, subprocess, sys\n"
             "ctypes.CDLL(None).prctl(36, 1)\n"
             "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
             "try: print('left', os.waitpid(-1, 0))\n"
             "except ChildProcessError: print('nothing')\n")
    done = subprocess.run([PYTHON, "-c", watch] + [str(word) for word in hood.command(*words)], capture_output=True, text=True, timeout=30)
    assert done.stdout == "nothing\n", done
