"""fumehood drill judges attacks: these are made up, so that every verdict can be seen."""
import fcntl
import glob
import json
import os
import pathlib
import shlex
import shutil
import signal
import struct
import subprocess
import termios

import pytest

from hood import *

READ = """
import sys
try:
    print(open(sys.argv[1]).read())
    sys.exit(10)
except OSError as why:
    print(why)
"""
NOTHING_LEFT = {"processes": 0, "cgroups": 0, "mounts": 0, "files": 0, "supervisor_descriptors": 0, "what": []}
WORKS_BARE = "import os, sys\nsys.exit(10 if os.environ.get('DRILL_CONTROL') else 0)\n"


ALONE = "test -n \"$DRILL_CONTROL\" && exit 10\nexit 0\n"  # one process: every kernel can prove its slot clean


def staged():
    """What drills on this machine have staged; with others on it some of that is theirs."""
    if os.environ.get("FUMEHOOD_SHARED_MACHINE"):
        return []
    return glob.glob("/tmp/fumehood-drill-*/open/*") + glob.glob("/dev/shm/fumehood-drill-*")


class Attacks:
    """A folder of made-up attacks."""

    def __init__(self, hood):
        self.hood, self.folder = hood, hood.folder / "attacks"

    def add(self, name, source, extension="py", ending="exited 0", **keys):
        expect = {"group": "filesystem", "what": "made up: " + name, "proves": ["own_root"], "control": "bare"}
        expect["expect"] = {"ending": ending, **keys.pop("expect", {})}
        expect.update(keys)
        self.hood.file("attacks/%s/expect.yaml" % name, json.dumps({k: v for k, v in expect.items() if v is not None}))
        self.hood.file("attacks/%s/attack.%s" % (name, extension), source)
        return self

    def call(self, *options, **more):
        return self.hood.call("drill", "--attacks", self.folder, *options, timeout=300, **more)

    def drill(self, *options, status=None, **more):
        """{name: row} of a drill, with what holds for every one."""
        run = self.call("--json", *options, **more)
        report = json.loads(run.out)
        assert report["schema"] == "fumehood.drill/1" and report["tier"] == "container" and report["machine"]["kernel"]
        assert report["cage"] == (options[options.index("--cage") + 1] if "--cage" in options else "fresh")
        rows = {row["name"]: row for row in report["attacks"]}
        keys = {"held": "held", "red": "red", "skip": "skipped", "residual": "residual"}
        for result, key in keys.items():
            assert report["summary"][key] == sum(row["result"] == result for row in rows.values()), report["summary"]
            assert report["summary"][key] == sum(group[key] for group in report["summary"]["by_group"].values())
        all_skipped = report["summary"]["skipped"] == len(rows)
        assert run.status == (1 if report["summary"]["red"] or all_skipped else 0), run
        assert status is None or run.status == status, run
        assert not staged(), "staged things stay"
        return rows

    def one(self, *options, **more):
        (row,) = self.drill(*options, **more).values()
        return row


@pytest.fixture
def attacks(hood):
    return Attacks(hood)


def expect_row(row, result, *parts):
    assert row["result"] == result, row
    for part in parts:
        assert any(re.search(part, reason) for reason in row["reasons"]), (part, row["reasons"])
    if result == "held":
        assert row["reasons"] == [], row
    return row


def is_too_slow(row):
    return row["result"] == "skip" and any("too slow to say" in reason for reason in row["reasons"])


# ---------------------------------------------------------------- verdicts

def test_an_attack_that_is_held(attacks):
    attacks.add("secret", READ, outside=["secret-file"], args=["{secret_file}"])
    row = expect_row(attacks.one(status=0), "held")
    assert row["seen"] == {"ending": ["exited 0"], "detail": [None], "denials": []}
    assert row["control"]["worked"] is True and row["control"]["ending"] == ["exited 10"]
    assert row["control"]["evidence"] == ["it printed the secret"]
    assert row["teardown"]["us"] > 0 and row["usage"]["wall_us"] > 0
    assert row["usage"]["memory_peak_bytes"] is None or row["usage"]["memory_peak_bytes"] > 0
    assert row["cleanup_us"] == row["teardown"]["us"] and row["residue"] == NOTHING_LEFT and row["canary_intact"] is True


def test_what_was_not_staged_is_no_canary(attacks):
    attacks.add("nothing-outside", WORKS_BARE)
    attacks.add("skipped", WORKS_BARE, control_needs="no-such-program")
    rows = attacks.drill(status=0)
    assert rows["nothing-outside"]["canary_intact"] is None and rows["nothing-outside"]["residue"] == NOTHING_LEFT
    assert rows["skipped"]["result"] == "skip" and rows["skipped"]["residue"] == NOTHING_LEFT


def test_an_attack_that_reaches(attacks):
    attacks.add("reaches", "import sys; print('through'); sys.exit(10)")
    row = expect_row(attacks.one(status=1), "red", "succeeded")
    assert row["said"] == "through\n" and row["control_said"] == "through"


def test_an_attack_that_reaches_as_documented(attacks):
    attacks.add("known", "import sys; sys.exit(10)", residual="the kernel tells everybody", proves=None)
    attacks.add("mended", WORKS_BARE, residual="the kernel told everybody", proves=None)
    rows = attacks.drill(status=0)
    expect_row(rows["known"], "residual", "tells everybody")
    expect_row(rows["mended"], "held")


@pytest.mark.parametrize("source,ending,seen", [
    ("import os, sys; sys.exit(10 if os.environ.get('DRILL_CONTROL') else 3)", "exited 0", "exited 3"),
    ("import os, sys; sys.exit(10 if os.environ.get('DRILL_CONTROL') else 77)", "exited 0", "exited 77"),
    ("import os, sys\nif os.environ.get('DRILL_CONTROL'): sys.exit(10)\nos.abort()", "exited 0", "signaled 6"),
    (WORKS_BARE, "limit wall", "exited 0"),
    (WORKS_BARE, ["signaled 9", "denied"], "exited 0"),
])
def test_another_ending_than_expected(attacks, source, ending, seen):
    attacks.add("ends", source, ending=ending)
    row = expect_row(attacks.one(status=1), "red", "ended: %s, expected" % seen)
    assert row["seen"]["ending"] == [seen]


def test_one_of_several_endings(attacks):
    attacks.add("ends", WORKS_BARE, ending=["signaled 9", "exited 0"])
    expect_row(attacks.one(), "held")


def test_a_hang_is_ended_by_the_limit(attacks):
    attacks.add("hangs", "import os, sys, time\nif os.environ.get('DRILL_CONTROL'): sys.exit(10)\ntime.sleep(100)", limits={"wall_ms": "1s"})
    row = attacks.one(status=1)
    # Much else may run beside this test.
    expect_row(row, row["result"] if is_too_slow(row) else "red", "ended: limit wall")
    assert row["seen"]["ending"] == ["limit wall"]


def test_denials(attacks):
    source = "import socket, sys\ntry: socket.socket(socket.AF_INET)\nexcept OSError: sys.exit(0)\nsys.exit(10)"
    attacks.add("named", source, group="network", proves=["syscall_filter"], expect={"denials": ["network socket(AF_INET)"]})
    attacks.add("starred", source, group="network", proves=["syscall_filter"], expect={"denials": ["network socket*"]})
    attacks.add("missing", source, group="network", proves=["syscall_filter"], expect={"denials": ["syscall mount*"]})
    rows = attacks.drill(status=1)
    for name in ("named", "starred"):
        row = expect_row(rows[name], "held")
        assert row["seen"]["denials"] == [{"class": "network", "what": "socket(AF_INET)", "count": 1}]
    expect_row(rows["missing"], "red", "the denial .syscall mount.* is not in the receipt")


def test_hits_of_a_limit(attacks):
    need_groups()
    source = """
import os, sys, time
made = []
try:
    for n in range(30):
        made.append(os.fork())
        if made[-1] == 0:
            time.sleep(5)
            os._exit(0)
except OSError: pass
for pid in made:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
sys.exit(10 if len(made) == 30 else 0)
"""
    attacks.add("met", source, limits={"processes": 8}, proves=["processes"], expect={"hits": ["processes"]})
    attacks.add("unmet", WORKS_BARE, proves=["processes"], expect={"hits": ["processes"]})
    rows = attacks.drill(status=1)
    expect_row(rows["met"], "held")
    expect_row(rows["unmet"], "red", "the limit processes was not met")


def test_output(attacks):
    source = WORKS_BARE.replace("\n", "\nprint('word')\n", 1)
    attacks.add("exact", source, expect={"stdout": "word\n", "stdout_bytes": 5, "stderr_bytes": 0})
    attacks.add("other", source, expect={"stdout": "Word\n"})
    attacks.add("count", source, expect={"stdout_bytes": 6, "stderr_bytes": 1})
    rows = attacks.drill(status=1)
    expect_row(rows["exact"], "held")
    expect_row(rows["other"], "red", "stdout is not what")
    expect_row(rows["count"], "red", "stdout has 5 bytes, expected: 6", "stderr has 0")


def test_a_secret_that_comes_out(attacks):
    attacks.add("leak", "import sys; print(sys.argv[1], file=sys.stderr)", args=["{nonce}"])
    expect_row(attacks.one(status=1), "red", "the secret came out on stderr")


def test_a_policy_of_its_own(attacks):
    source = "import socket, sys\nsocket.socket(socket.AF_INET)\nsys.exit(int(sys.stdin.read()))"
    attacks.add("loop", source, policy={"network": "loopback", "environment": {"A": "b"}}, stdin="0", control="none", control_why="nothing is attacked")
    expect_row(attacks.one(), "held")


def test_runtimes(attacks):
    attacks.add("sh", 'test -n "$DRILL_CONTROL" && exit 10; exit 0', "sh")
    attacks.add("py", WORKS_BARE)
    attacks.add("js", "process.exit(process.env.DRILL_CONTROL ? 10 : 0)", "js")
    attacks.add("native", "")
    shutil.rmtree(attacks.folder / "native")
    if shutil.which("gcc"):
        attacks.add("native", "")
        (attacks.folder / "native/attack.py").unlink()
        made = attacks.hood.compile("#include <stdlib.h>\nint main(void) { return getenv(\"DRILL_CONTROL\") ? 10 : 0; }", "-static")
        shutil.copy(made, attacks.folder / "native/attack")
    for row in attacks.drill(status=0).values():
        expect_row(row, "held")


# ---------------------------------------------------------------- controls

@pytest.mark.parametrize("source,why", [
    ("pass", "its control did not work: it ended exited 0"),
    ("import os, sys; sys.exit(4 if os.environ.get('DRILL_CONTROL') else 0)", "its control did not work: it ended exited 4"),
    ("import os\nif os.environ.get('DRILL_CONTROL'): os.kill(os.getpid(), 9)", "it ended signaled 9"),
    ("import os, time\nif os.environ.get('DRILL_CONTROL'):\n  while True:\n    if os.fork() == 0: time.sleep(60)\n    time.sleep(0.001)", "too many processes"),
])
def test_a_control_that_does_not_work(attacks, source, why):
    attacks.add("control", source)
    row = expect_row(attacks.one(status=1), "red", why)
    assert row["control"]["worked"] is False


def test_a_control_without_end(attacks):
    """It is ended with all that it started, wherever that hides."""
    source = """
import os, sys, time
if not os.environ.get('DRILL_CONTROL'): sys.exit(0)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
time.sleep(1000)
# %s
""" % attacks.hood.nonce
    attacks.add("control-" + attacks.hood.nonce, source)
    row = expect_row(attacks.one(status=1), "red", "its control did not end in time")
    assert row["control"]["worked"] is False
    assert not processes_with(attacks.hood.nonce)


def test_a_control_that_cannot_be_staged(attacks):
    source = "import os, sys\nif os.environ.get('DRILL_CONTROL'):\n  print('no such thing here')\n  sys.exit(77)\n"
    attacks.add("skips", source)
    attacks.add("skips-all-the-same", source + "sys.exit(77)\n")
    attacks.add("reaches-all-the-same", source + "sys.exit(10)\n")
    rows = attacks.drill(status=1)
    expect_row(rows["skips"], "skip", "cannot be staged here: no such thing here")
    expect_row(rows["skips-all-the-same"], "skip", "cannot be staged here: no such thing here")
    expect_row(rows["reaches-all-the-same"], "red", "succeeded")


def test_a_control_that_needs_something(attacks):
    attacks.add("here", WORKS_BARE, control_needs="sh")
    attacks.add("not-here", WORKS_BARE, control_needs="no-such-program")
    attacks.add("red-all-the-same", "import sys; sys.exit(10)", control_needs="no-such-program")
    rows = attacks.drill(status=1)
    expect_row(rows["here"], "held")
    row = expect_row(rows["not-here"], "skip", "its control needs no-such-program")
    assert row["control"]["worked"] is None and row["seen"]["ending"] == ["exited 0"]
    expect_row(rows["red-all-the-same"], "red", "succeeded")


def test_other_controls(attacks):
    attacks.add("inside", "pass", control="inside", control_why="it tries the permitted one too")
    attacks.add("none", "pass", control="none", control_why="there is nothing to show")
    attacks.add("inside-red", "import sys; sys.exit(1)", control="inside", control_why="it tries the permitted one too")
    rows = attacks.drill(status=1)
    assert expect_row(rows["inside"], "held")["control"]["kind"] == "inside"
    assert expect_row(rows["none"], "held")["control"]["why"] == "there is nothing to show"
    expect_row(rows["inside-red"], "red", "exited 1")


def test_control_args(attacks):
    attacks.add("args", "import sys; sys.exit(int(sys.argv[1]))", args=["0"], control_args=["10"])
    expect_row(attacks.one(), "held")


def test_what_a_bare_program_has(attacks):
    """Not the caller's environment, an empty folder of its own, one session, hard limits."""
    source = """
import os, resource, sys
if not os.environ.pop('DRILL_CONTROL', None): sys.exit(0)
assert 'STORY' not in os.environ, os.environ
assert os.listdir('.') == [] and os.path.realpath(os.environ['HOME']) == os.getcwd()
assert os.getsid(0) != int(sys.argv[1]) and os.getpgid(0) == os.getpid()
assert sorted(os.listdir('/proc/self/fd')) == ['0', '1', '2', '3']
assert resource.getrlimit(resource.RLIMIT_CPU)[1] == 10
open('left', 'w').write('x')
sys.exit(10)
"""
    attacks.add("bare", source, args=[str(os.getsid(0))])
    expect_row(attacks.one(env={**os.environ, "STORY": "1"}), "held")


# ---------------------------------------------------------------- what is staged

OUTSIDE = {
    "secret-file": ("{secret_file}", READ),
    "guarded-file": ("{guarded_file}", "import sys\ntry: open(sys.argv[1], 'w').write('x')\nexcept OSError: pass"),
    "guarded-dir": ("{guarded_dir}", "import sys\ntry: open(sys.argv[1] + '/x', 'w')\nexcept OSError: pass"),
    "tcp4": ("{tcp4}", "import socket, sys\ntry: socket.create_connection(('127.0.0.1', int(sys.argv[1])))\nexcept OSError: pass"),
    "tcp6": ("{tcp6}", "import socket, sys\ntry: socket.create_connection(('::1', int(sys.argv[1])))\nexcept OSError: pass"),
    "udp4": ("{udp4}", "import socket, sys\ntry: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(sys.argv[1])))\nexcept OSError: pass"),
    "unix-path": ("{unix_path}", "import socket, sys\ntry: socket.socket(socket.AF_UNIX).connect(sys.argv[1])\nexcept OSError: pass"),
    "unix-abstract": ("{unix_name}", "import socket, sys\ntry: socket.socket(socket.AF_UNIX).connect(chr(0) + sys.argv[1])\nexcept OSError: pass"),
    "victim": ("{victim_pid}", "import os, sys\ntry: os.kill(int(sys.argv[1]), 19)\nexcept OSError: pass"),
    "sysv-shm": ("{sysv_key}", "import ctypes, sys\nc = ctypes.CDLL(None)\nc.shmat.restype = ctypes.c_void_p\ni = c.shmget(int(sys.argv[1]), 0, 0)\n"
                 "if i >= 0: print(ctypes.string_at(c.shmat(i, None, 4096)))"),
    "posix-shm": ("{shm_name}", "import sys\ntry: print(open('/dev/shm/' + sys.argv[1]).read())\nexcept OSError: pass"),
    "posix-mqueue": ("{mq_name}", "import ctypes, sys\nc = ctypes.CDLL(None)\nq = c.mq_open(b'/' + sys.argv[1].encode(), 0)\nb = ctypes.create_string_buffer(256)\n"
                     "if q >= 0 and c.mq_receive(q, b, 256, None) > 0: print(b.value)"),
    "secret-env": (None, "import os\nprint(dict(os.environ))\ntry: print(open('/proc/%d/environ' % os.getppid()).read())\nexcept OSError: pass"),
    "open-file": (None, "import os\nfor fd in (3, 63, 200):\n  try: print(os.pread(fd, 200, 0))\n  except OSError: pass"),
    "terminal": (None, "import fcntl, os, sys\nsys.stdout.close()\nif os.environ.get('DRILL_CONTROL') and not os.isatty(0): os._exit(3)\n"
                 "try: fd = os.open('/dev/tty', os.O_RDWR)\nexcept OSError: os._exit(0)\nos._exit(10)"),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_is_staged_is_seen_to_be_touched(attacks, kind):
    """By the control, which reaches it; the caged run does not."""
    word, source = OUTSIDE[kind]
    more = ["secret-file", "guarded-dir"] if kind == "open-file" else []
    attacks.add("touch", source, outside=[kind, *more], args=[word] if word else None)
    row = attacks.one(status=0)
    if kind in ("tcp6", "posix-mqueue") and row["result"] == "skip":
        need(False, "not here: %s" % row["reasons"])
    expect_row(row, "held")
    assert row["control"]["worked"] and (row["control"]["evidence"] or kind == "terminal"), row
    assert not staged()


@pytest.mark.parametrize("kind", ["guarded-file", "guarded-dir", "tcp4", "unix-abstract", "victim"])
def test_what_is_touched_during_the_run_is_red(attacks, kind):
    """Nothing gets out of a cage here, so somebody else does it meanwhile."""
    word, source = OUTSIDE[kind]
    attacks.add("touch-" + attacks.hood.nonce, "import sys, time\ntime.sleep(0 if len(sys.argv) > 1 and sys.argv[1] == 'x' else 2)\n", outside=[kind],
                args=[word], control_args=["x"])
    process = subprocess.Popen(attacks.hood.command("drill", "--attacks", attacks.folder, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    order = wait_until(lambda: orders_of(process.pid), 10)
    assert order, "nothing was ordered"
    subprocess.run([PYTHON, "-c", source, *order["args"]], check=True)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    (row,) = json.loads(out)["attacks"]
    expect_row(row, "red", kind)
    assert row["canary_intact"] is False and row["residue"] == {**NOTHING_LEFT, "files": 1 if kind == "guarded-dir" else 0}


def orders_of(pid):
    """What the drill has told its supervisor: from that one's command line."""
    try:
        for child in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split():
            words = pathlib.Path("/proc/%s/cmdline" % child).read_text().split("\0")
            if "supervisor" in words:
                return json.loads(pathlib.Path(words[words.index("supervisor") + 1], "order.json").read_text())
    except OSError:
        pass
    return None


def test_a_mount_that_appears_is_red(attacks):
    need(is_root() and shutil.which("nsenter"), "not root, or nsenter is not installed: no mount can be made")
    attacks.add("mount-" + attacks.hood.nonce, "import time; time.sleep(1)", control="none", control_why="it is done for it")
    process = subprocess.Popen(attacks.hood.command("drill", "--attacks", attacks.folder, "--json"), stdout=subprocess.PIPE)
    assert wait_until(lambda: orders_of(process.pid), 10)
    subprocess.run(["nsenter", "-t", str(process.pid), "-m", "mount", "-t", "tmpfs", "made-up", str(attacks.folder)], check=True)
    out, _ = process.communicate(timeout=60)
    (row,) = json.loads(out)["attacks"]
    expect_row(row, "red", "a mount appeared: " + str(attacks.folder))
    assert row["residue"] == {**NOTHING_LEFT, "mounts": 1, "what": ["a mount appeared: " + str(attacks.folder)]}
    assert not os.path.ismount(attacks.folder)


def test_a_filesystem_that_somebody_changes_is_not_the_runs(attacks, small_disk):
    disk = small_disk(1 << 20)
    attacks.add("slow-" + attacks.hood.nonce, "import time; time.sleep(1)", control="none", control_why="it is done for it")
    process = subprocess.Popen(attacks.hood.command("drill", "--attacks", attacks.folder, "--json"), stdout=subprocess.PIPE)
    assert wait_until(lambda: orders_of(process.pid), 10)
    subprocess.run(["mount", "-o", "remount,size=2m", str(disk)], check=True)
    out, _ = process.communicate(timeout=60)
    (row,) = json.loads(out)["attacks"]
    expect_row(row, "held")
    assert row["residue"] == NOTHING_LEFT


def test_what_the_terminal_shows(attacks):
    """A secret that the control shows there is none that the cage let out."""
    attacks.add("control-shows", "import os; print(os.environ.get('DRILL_SECRET', 'none'))", outside=["terminal", "secret-env"])
    attacks.add("cage-shows", "import sys; print(sys.argv[1])", outside=["terminal"], args=["{nonce}"])
    rows = attacks.drill(status=1)
    row = expect_row(rows["control-shows"], "held")
    assert row["control"]["evidence"] == ["it printed the secret"]
    expect_row(rows["cage-shows"], "red", "the secret came out on stdout", "the secret came out on the terminal")


def test_odd_signals(attacks):
    source = "import os, signal, sys\nif os.environ.get('DRILL_CONTROL'): sys.exit(10)\n" \
             "assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()\n" \
             "pid = os.fork()\nif pid == 0: os._exit(7)\nassert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 7\n"
    attacks.add("odd", source, outside=["odd-signals"])
    expect_row(attacks.one(), "held")


def test_a_killed_supervisor(attacks):
    source = "import os, sys, time\nif os.environ.get('DRILL_CONTROL'): sys.exit(10)\n" \
             "for n in range(3):\n  if os.fork() == 0:\n    os.setsid()\n    break\ntime.sleep(100)\n# %s" % attacks.hood.nonce
    attacks.add("dies-" + attacks.hood.nonce, source, outside=["kill-supervisor"], ending="killed")
    attacks.add("too-fast", WORKS_BARE, outside=["kill-supervisor"], ending="killed")
    rows = attacks.drill(status=1)
    row = expect_row(rows["dies-" + attacks.hood.nonce], "held")
    assert row["teardown"] is None and 0 <= row["cleanup_us"] < 1_000_000
    assert row["residue"] == {**NOTHING_LEFT, "supervisor_descriptors": None}
    expect_row(rows["too-fast"], "red", "ended: exited 0, expected: killed")


def test_a_second_run(attacks):
    """What the first one plants is not there for the second one."""
    source = """
import os, sys
found = False
for place in ('/tmp/planted', '/dev/shm/planted', sys.argv[1] + '/planted', 'planted'):
    try:
        if sys.argv[-1] == 'second': found = found or os.path.exists(place)
        else: open(place, 'w')
    except OSError: pass
try: os.unlink('/tmp/planted'), os.unlink('/dev/shm/planted')
except OSError: pass
sys.exit(10 if found else 0)
"""
    attacks.add("plants", source.replace("'/tmp/planted', '/dev/shm/planted', ", ""), outside=["second-run", "guarded-dir"], args=["{guarded_dir}"])
    attacks.add("plants-more", source, outside=["second-run"], args=["/none"], control="none", control_why="it would leave something")
    attacks.add("second-reaches", "import sys; sys.exit(10 if sys.argv[-1] == 'second' else 0)", outside=["second-run"])
    rows = attacks.drill(status=1)
    row = expect_row(rows["plants"], "held")
    assert row["seen"]["ending"] == ["exited 0", "exited 0"] and row["control"]["ending"] == ["exited 0", "exited 10"]
    expect_row(rows["plants-more"], "held")
    expect_row(rows["second-reaches"], "red", "succeeded")


def test_a_sibling(attacks):
    attacks.add("beside", WORKS_BARE, outside=["sibling"])
    expect_row(attacks.one(), "held")


def test_everything_at_once(attacks):
    kinds = [kind for kind in OUTSIDE if kind not in ("tcp6", "posix-mqueue")] + ["odd-signals", "second-run", "sibling"]
    attacks.add("all", WORKS_BARE, outside=kinds)
    expect_row(attacks.one(status=0), "held")


# ---------------------------------------------------------------- in slots

def expect_slot(row, state=None, runs_before=None):
    slot = row["slot"]
    assert slot["state"] == ("dropped" if slot["why"] else "clean") and state in (None, slot["state"]), slot
    assert slot == {**slot, **row["teardown"]["slot"]} and runs_before in (None, slot["runs_before"]), slot
    return slot


def test_attacks_in_slots(attacks):
    """Each after an honest run in its slot, and before another."""
    attacks.add("alone", ALONE, "sh")
    attacks.add("secret", READ, outside=["secret-file"], args=["{secret_file}"])
    attacks.add("reaches", "exit 10", "sh")
    attacks.add("twice", ALONE, "sh", outside=["second-run"])
    attacks.add("beside", ALONE, "sh", outside=["sibling"])
    attacks.add("odd", ALONE, "sh", outside=["odd-signals", "terminal", "secret-env", "secret-file", "guarded-dir", "open-file"])
    attacks.add("looped", ALONE, "sh", policy={"network": "loopback"})
    attacks.add("killed", "test -n \"$DRILL_CONTROL\" && exit 10\nsleep 60", "sh", outside=["kill-supervisor"], ending="killed")
    rows = attacks.drill("--cage", "slot", status=1)
    for name in ("alone", "secret", "beside", "odd"):
        expect_slot(expect_row(rows[name], "held"), runs_before=1)
        assert rows[name]["residue"] == NOTHING_LEFT
    expect_slot(rows["alone"], "clean")
    expect_slot(expect_row(rows["twice"], "held"), "clean", 2)
    expect_slot(expect_row(rows["reaches"], "red", "succeeded"), "clean")
    assert rows["reaches"]["reasons"] == ["the attack succeeded"], rows["reaches"]
    expect_slot(expect_row(rows["looped"], "held"), "dropped")
    assert expect_row(rows["killed"], "held")["slot"] is None


def test_attacks_that_are_forks_of_a_zygote(attacks):
    attacks.add("forked", WORKS_BARE)
    attacks.add("shell", ALONE, "sh")
    rows = attacks.drill("--cage", "zygote", status=0)
    assert expect_slot(expect_row(rows["forked"], "held"), "clean")["zygote"] is True
    assert rows["forked"]["slot"]["runs_before"] >= 1
    assert expect_slot(expect_row(rows["shell"], "held"), "clean", 1)["zygote"] is False


def test_attacks_in_slots_as_an_ordinary_user(user_hood):
    attacks = Attacks(user_hood)
    attacks.add("alone", ALONE, "sh")
    attacks.add("twice", ALONE, "sh", outside=["second-run"])
    attacks.add("killed", "test -n \"$DRILL_CONTROL\" && exit 10\nsleep 60", "sh", outside=["kill-supervisor"], ending="killed")
    rows = attacks.drill("--cage", "slot", status=0)
    expect_slot(expect_row(rows["alone"], "held"), "clean", 1)
    expect_slot(expect_row(rows["twice"], "held"), "clean", 2)
    expect_row(rows["killed"], "held")


def test_limits_that_leave_no_room_for_an_honest_run(attacks):
    attacks.add("narrow", ALONE, "sh", limits={"stdout_bytes": 100})
    attacks.add("wide", ALONE, "sh")
    expect_row(attacks.drill("--cage", "slot", status=0)["narrow"], "skip", "an honest run under its limits ends before it already: limit output")


def test_the_table_of_slots(attacks):
    attacks.add("alone", ALONE, "sh")
    run = expect_status(attacks.call("--cage", "slot"), 0)
    assert run.text.startswith("attack, cage: slot ") and "\nslots after attacks: 1 proved clean, 0 dropped; new before: 0\n" in run.text, run.text
    assert "\n1 attack, cage: slot, in " in run.text
    run = expect_status(attacks.call("--cage", "fresh"), 0)
    assert run.text.startswith("attack, cage: fresh ") and "slots" not in run.text and "\n1 attack, cage: fresh, in " in run.text, run.text
    expect_refusal(attacks.call("--cage", "warm"), 2, "--cage is fresh, slot or zygote")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_drill_in_slots_takes_everything_away(attacks, number):
    groups = own_cgroups()
    process, _, left = long_drill(attacks, "secret-file", options=["--cage", "slot"])
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert not left.exists() and not processes_with(attacks.hood.nonce)
    expect_next_start_clears(attacks.hood, groups)


@pytest.mark.parametrize("cage", ["fresh", "slot"])
def test_a_program_that_cannot_be_started(attacks, cage):
    """The cage stands, and the kernel refuses what is to run in it; a slot that has had that does not serve again."""
    attacks.add("expected", "", ending="setup-error", control="none", control_why="it runs nowhere")
    attacks.add("unexpected", "", control="none", control_why="it runs nowhere")
    for name in ("expected", "unexpected"):
        (attacks.folder / name / "attack.py").unlink()
        (attacks.folder / name / "attack").write_bytes(pathlib.Path("/bin/true").read_bytes()[:64])
    rows = attacks.drill("--cage", cage, status=1)
    row = expect_row(rows["expected"], "held")
    assert row["seen"]["ending"] == ["setup-error"] and "Exec format error" in row["seen"]["detail"][0], row["seen"]
    expect_row(rows["unexpected"], "red", "^ended: setup-error, expected: exited 0; because exec: .*Exec format error$")
    for row in rows.values():
        assert row["residue"] == NOTHING_LEFT
        if cage == "slot":
            assert "could not be built" in expect_slot(row, "dropped", 1)["why"]


# ---------------------------------------------------------------- the verb

def test_the_table(attacks):
    attacks.add("good", WORKS_BARE).add("long-name-of-an-attack", "import sys; sys.exit(10)", group="network")
    run = expect_status(attacks.call(), 1)
    assert run.err == b"", run
    assert re.search(r"^good +exited 0 +exited 0 +\S.* held$", run.text, re.M), run.text
    assert re.search(r"^long-name-of-an-attack +exited 0 +exited 10 .* red$\n    the attack succeeded$", run.text, re.M), run.text
    assert re.search(r"^good +exited 0 +exited 0 +[0-9.]+MiB +[0-9.]+[um]s held$", run.text, re.M) or not own_cgroups(), run.text
    assert re.search(r"^all +1 +1 +0 +0$", run.text, re.M) and re.search(r"^network +0 +1 +0 +0$", run.text, re.M), run.text
    assert "\n2 attacks, cage: fresh, in " in run.text
    assert len({line.index("result") for line in run.text.splitlines()[:1]}) == 1


def test_the_table_fits_the_line(attacks):
    """Names, reasons and words that are longer than a line, and one that a terminal would act on."""
    attacks.add("a-name-that-takes-more-than-its-column", "import sys; sys.exit(10)", ending="limit processes",
                residual="ways and means " * 8 + "/folder" * 20 + " \u00e4" * 30 + " \x07end", proves=None)
    attacks.add("odd\x1b[31m", WORKS_BARE)
    run = expect_status(attacks.call(), 0)
    lines = run.text.splitlines()
    assert max(map(len, lines)) <= 79, run.text
    name = lines.index("a-name-that-takes-more-than-its-column")
    assert re.match(r" +limit processes +exited 10 .* residual$", lines[name + 1]), run.text
    assert re.search(r"^odd\\x1b\[31m +exited 0 .* held$", run.text, re.M), run.text
    said = "".join(line.strip() for line in lines[name + 2:next(n for n, line in enumerate(lines) if line.startswith("odd"))]).replace(" ", "")
    assert said == ("waysandmeans" * 8 + "/folder" * 20 + "\u00e4" * 30 + "\\x07end"), said


@pytest.mark.parametrize("columns,wide", [(80, False), (120, True)])
def test_the_table_on_a_terminal(attacks, columns, wide):
    attacks.add("a-name-of-twenty-one-x", WORKS_BARE)
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    run = subprocess.run(attacks.hood.command("drill", "--attacks", attacks.folder), stdout=theirs, stderr=subprocess.PIPE, timeout=60)
    os.close(theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    assert run.returncode == 0, (said, run.stderr)
    head = said.splitlines()[0]
    assert ("denials" in head) == wide and len(head) <= columns, head


def test_a_relative_folder(attacks):
    """Supervisors and controls work in folders of their own, and find it all the same."""
    attacks.add("a", "import os, sys; sys.exit(10 if os.environ.get('DRILL_CONTROL') else 0)")
    expect_status(attacks.hood.call("drill", "--attacks", attacks.folder.name, cwd=attacks.folder.parent), 0)


def test_nothing_is_kept_from_row_to_row(attacks):
    """No descriptor of the drill itself, over forty rows."""
    kinds = [kind for kind in OUTSIDE if kind not in ("tcp6", "posix-mqueue")]
    for number in range(40):
        attacks.add("row-%02d" % number, WORKS_BARE, outside=kinds)
    process = subprocess.Popen(attacks.hood.command("drill", "--attacks", attacks.folder), stdout=subprocess.PIPE)
    counts = []
    for line in process.stdout:
        if line.startswith(b"row-"):
            assert line.endswith(b" held\n"), line
            counts.append(len(os.listdir("/proc/%d/fd" % process.pid)))
            if counts[-1] == 39:
                break
    process.communicate(timeout=60)
    assert process.returncode == 0 and len(counts) == 40
    assert min(counts[29:39]) <= min(counts[:10]) + 15, counts  # the next row may be staged already when it is looked at


def test_only_some(attacks):
    attacks.add("fs-one", WORKS_BARE).add("fs-two", WORKS_BARE).add("net-one", WORKS_BARE)
    assert set(attacks.drill("--only", "fs-*")) == {"fs-one", "fs-two"}
    assert set(attacks.drill("--only", "*-two", "--only", "net-one")) == {"fs-two", "net-one"}
    expect_refusal(attacks.call("--only", "nothing"), 2, "holds no attack that --only matches")


def test_usage(attacks):
    expect_refusal(attacks.call(), 2, "attacks", "cannot be read")
    attacks.folder.mkdir()
    expect_refusal(attacks.call(), 2, "holds no attack")
    expect_refusal(attacks.call("more"), 2, "unexpected")
    attacks.add("a", WORKS_BARE)
    expect_refusal(attacks.call("--tier", "nonsense"), 2, "nonsense")
    expect_refusal(attacks.call("--tier", "microvm"), 126, "not built")
    assert attacks.one("--tier", "container")["result"] == "held"


@pytest.mark.parametrize("keys,place,what", [
    ({"group": "filesystems"}, r"expect.yaml:1:\d+", "filesystems"),
    ({"unheard": 1}, r"expect.yaml:1:\d+", "unknown key"),
    ({"args": ["{secret_file}"]}, r"expect.yaml:1:\d+", "needs secret-file"),
])
def test_a_wrong_expectation_stops_everything(attacks, keys, place, what):
    """Before anything has run."""
    attacks.add("a", WORKS_BARE).add("b", WORKS_BARE, **keys)
    line = expect_refusal(attacks.call(), 2, place, what)
    assert "/b/expect.yaml" in line


def test_a_folder_without_a_program_or_with_two(attacks):
    attacks.add("a", WORKS_BARE)
    attacks.hood.file("attacks/a/attack.sh", "exit 0")
    expect_refusal(attacks.call(), 2, "2 programs")
    for path in attacks.folder.glob("a/attack.*"):
        path.unlink()
    attacks.hood.file("attacks/a/attack.c", "int main(void) { return 0; }")
    expect_refusal(attacks.call(), 2, "0 programs", "built")


def test_a_name_that_is_no_text_stops_everything(attacks):
    attacks.add("a", WORKS_BARE).add("b", WORKS_BARE)
    os.rename(attacks.folder / "b", os.fsencode(attacks.folder) + b"/b-\xff\x1b")
    line = expect_refusal(attacks.call("--json"), 2, "is not UTF-8")
    assert r"/b-\xff\x1b/attack.py: " in line, line
    assert attacks.one("--only", "a")["result"] == "held"
    os.rename(os.fsencode(attacks.folder) + b"/b-\xff\x1b", attacks.folder / "b")
    os.rename(attacks.folder / "b/attack.py", os.fsencode(attacks.folder) + b"/b/attack.\xff")
    expect_refusal(attacks.call(), 2, r"attack.\\xff", "is not UTF-8")
    whole = os.fsencode(attacks.folder) + b"-\xfe"
    os.rename(attacks.folder, whole)
    expect_refusal(attacks.hood.call("drill", "--attacks", os.fsdecode(whole)), 2, r"-\\xfe/a/attack.py", "is not UTF-8")


def test_files_that_cannot_be_read_stop_everything(attacks):
    """Before anything has run."""
    attacks.add("a", WORKS_BARE).add("b", WORKS_BARE)
    (attacks.folder / "b/expect.yaml").unlink()
    expect_refusal(attacks.call(), 2, "b/expect.yaml")
    attacks.add("b", WORKS_BARE)
    (attacks.folder / "b/attack.py").unlink()
    os.mkfifo(attacks.folder / "b/attack.py")
    expect_refusal(attacks.call(), 2, "b/attack.py", "FIFO")
    (attacks.folder / "b/attack.py").unlink()
    (attacks.folder / "b/attack.py").symlink_to("nowhere")
    expect_refusal(attacks.call(), 2, "b/attack.py")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_drill_takes_everything_away(attacks, number):
    attacks.add("long-" + attacks.hood.nonce, "import time; time.sleep(100)", limits={"wall_ms": "60s"}, outside=["victim", "posix-shm", "secret-file"])
    process = subprocess.Popen(attacks.hood.command("drill", "--attacks", attacks.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert wait_until(lambda: orders_of(process.pid), 10)
    time.sleep(0.3)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert not staged()
    assert not processes_with(attacks.hood.nonce)


def test_a_killed_drill_leaves_no_process(attacks):
    groups = own_cgroups()
    process, _, left = long_drill(attacks, "victim")
    process.kill()
    process.communicate(timeout=20)
    assert wait_until(lambda: not processes_with(attacks.hood.nonce), 5), processes_with(attacks.hood.nonce)
    expect_next_start_clears(attacks.hood, groups)
    shutil.rmtree(left, ignore_errors=True)  # the next drill on this machine clears it, too


def long_drill(attacks, *outside, options=()):
    """One that is in the middle of a row: its process, what it has told its supervisor, its folder."""
    attacks.add("long-" + attacks.hood.nonce, "import time; time.sleep(100)", limits={"wall_ms": "60s"}, outside=outside)
    process = subprocess.Popen(attacks.hood.command("drill", "--attacks", attacks.folder, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    order = wait_until(lambda: orders_of(process.pid), 10)
    assert order
    time.sleep(0.3)
    return process, order, pathlib.Path(order["work"]).parent


def segments():
    """Keys of this machine's shared segments."""
    return {int(line.split()[0]) for line in pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]}


def test_the_next_drill_clears_what_a_killed_one_left(attacks):
    kinds = ["posix-shm", "sysv-shm", "secret-file", "guarded-dir", "unix-path"]
    process, _, left = long_drill(attacks, *kinds)
    tag = (left / "tag").read_text()
    key = int("0" + tag[:7], 16) | 1
    assert left.is_dir() and key in segments() and os.path.exists("/dev/shm/fumehood-drill-" + tag)
    process.kill()  # from here on any drill of this machine clears it
    process.communicate(timeout=20)
    assert wait_until(lambda: not processes_with(attacks.hood.nonce), 5)
    shutil.rmtree(attacks.folder)
    assert attacks.add("next", WORKS_BARE).one(status=0)["result"] == "held"
    assert not left.exists() and key not in segments() and not os.path.exists("/dev/shm/fumehood-drill-" + tag)


def test_a_living_drill_keeps_its_folder(attacks, tmp_path):
    """Whoever begins beside it; and so does what is not a drill's, or another user's."""
    process, order, folder = long_drill(attacks, "secret-file")
    others = [pathlib.Path("/tmp/fumehood-drill-%s-%s" % (attacks.hood.nonce, name)) for name in ("none", "link", "other")]
    others[0].mkdir()
    (others[0] / "kept").touch()
    others[1].symlink_to(tmp_path)
    others[2].mkdir()
    for path in (tmp_path, others[2]):
        (path / "lock").touch()
    if is_root():
        os.chown(others[2], 12345, 12345)
    try:
        shutil.rmtree(attacks.folder)
        assert Attacks(attacks.hood).add("beside", WORKS_BARE).call().status == 0
        assert process.poll() is None and (folder / "open/secret").exists()
        assert (others[0] / "kept").exists() and (tmp_path / "lock").exists()
        assert (others[2] / "lock").exists() == is_root()
    finally:
        process.terminate()
        process.communicate(timeout=20)
        others[1].unlink()
        for path in (others[0], others[2]):
            shutil.rmtree(path, ignore_errors=True)
    assert not folder.exists()


def test_where_tmp_takes_no_marked_programs_the_drill_is_elsewhere(hood):
    """As Debian 13 has it: a file system in memory, nosuid and nodev. There the controls of these would not work."""
    need(is_root() and shutil.which("unshare"), "not root, or no unshare: no /tmp of its own can be made")
    names = ["fs-set-id", "fs-device-nodes", "fs-file-handles"]
    script = "mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs /tmp && exec " + shlex.join(
        [str(hood.binary), "drill", "--json", *(word for name in names for word in ("--only", name))])
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd="/", timeout=300)
    assert done.returncode == 0, done
    rows = {row["name"]: row for row in json.loads(done.stdout)["attacks"]}
    assert sorted(rows) == sorted(names)
    for row in rows.values():
        assert row["result"] == "held" or is_too_slow(row), row
    assert not [name for name in os.listdir("/var/tmp") if name.startswith("fumehood-drill-")] or os.environ.get("FUMEHOOD_SHARED_MACHINE")


def test_the_emergency_stop(user_hood):
    attacks = Attacks(user_hood)
    attacks.add("a", WORKS_BARE)
    expect_status(user_hood.call("disable", "--why", "a test"), 0)
    try:
        expect_refusal(attacks.call(), 126, "a test")
    finally:
        expect_status(user_hood.call("enable"), 0)
    expect_status(attacks.call(), 0)


def test_as_an_ordinary_user(user_hood):
    """Without control groups: what they would keep is skipped aloud, all else is judged."""
    attacks = Attacks(user_hood)
    attacks.add("secret", READ, outside=["secret-file"], args=["{secret_file}"])
    attacks.add("reaches", "import sys; sys.exit(10)")
    attacks.add("victim", OUTSIDE["victim"][1], outside=["victim"], args=["{victim_pid}"])
    attacks.add("memory", WORKS_BARE, limits={"memory_bytes": "32MiB"}, proves=["memory_bytes"], ending="limit memory")
    attacks.add("maybe", WORKS_BARE, limits={"memory_bytes_if_available": "256MiB"})
    attacks.add("rooted", WORKS_BARE, control_needs="root")
    rows = attacks.drill(status=1)
    for name in ("secret", "victim", "maybe"):
        expect_row(rows[name], "held")
    expect_row(rows["reaches"], "red", "succeeded")
    expect_row(rows["memory"], "skip", "memory_bytes cannot be enforced here")
    expect_row(rows["rooted"], "skip", "its control needs root")


@pytest.mark.parametrize("cage", ["fresh", "slot"])
def test_the_attacks_that_come_with_it(hood, cage):
    need((BINARY.parent / "attacks").is_dir(), "the attacks were not built beside the program")
    run = hood.call("drill", "--cage", cage, "--json", timeout=900)
    report = json.loads(run.out)
    assert run.status == 0, [(row["name"], row["reasons"]) for row in report["attacks"] if row["result"] == "red"]
    assert report["cage"] == cage and report["summary"]["held"] > 0
    if cage == "slot":
        slots = report["summary"]["slots"]
        assert slots["clean"] + slots["dropped"] >= report["summary"]["held"] / 2 and slots["clean"] > slots["first"], slots
