"""How a run ends, as whoever started it is told: one line of its own, with what, how much, and what changes it; and
every signal that would end fumehood ends the run."""
import ctypes
import os
import pty
import signal
import subprocess
import time

import pytest

from hood import (dead_cgroups, expect_ending, expect_status, expect_whole_receipt, finish, need_groups, own_cgroups, processes_with,
                  results_of, wait_until)

WAIT = "import sys, time\nprint('up', flush=True)\ntime.sleep(100)"
NAMED = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU,
         signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV, 32, 34, 64]


LIBC, RT_SIGACTION = ctypes.CDLL(None), 13 if os.uname().machine == "x86_64" else 134


def take_signals():
    """Whatever the tests' own starter ignores or blocks. Python does not know 32 and 33, which make leaves ignored."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in range(1, 65):
        LIBC.syscall(RT_SIGACTION, number, bytes(64), None, 8)


# ---------------------------------------------------------------- a line of its own

HALF = "printf 'half a line'%s\nexec sleep 100"  # a shell: Python says something at its end


def test_the_last_line_is_not_glued_to_the_guests(hood):
    run = hood.shell(HALF % " >&2", options=["--limit", "wall_ms=300ms"])
    assert run.said.splitlines()[0] == "half a line" and run.said.splitlines()[1].startswith("fumehood: ended by"), run
    run = hood.shell("echo a whole line >&2\nexec sleep 9", options=["--limit", "wall_ms=300ms"])
    assert "\n\n" not in run.said and run.said.startswith("a whole line\nfumehood: "), run


def test_nothing_is_added_where_nothing_is_said(hood):
    run = hood.python("import sys\nsys.stderr.write('half a line')\nprint('half', end='')")
    assert (run.out, run.err) == (b"half", b"half a line"), run


@pytest.mark.parametrize("kind", ["pipe", "file", "terminal"])
def test_both_streams_in_one_place(hood, kind):
    """What stdout has begun counts where both streams go to the same place."""
    program = hood.program(HALF % "", "sh")
    words = hood.command("run", "--limit", "wall_ms=300ms", program)
    if kind == "pipe":
        text = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    elif kind == "file":
        with open(hood.folder / "log", "ab") as log:
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        text = (hood.folder / "log").read_bytes()
    else:
        ours, theirs = pty.openpty()
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:
            pass
        os.close(ours)
    lines = text.decode().splitlines()
    assert lines[0] == "half a line" and lines[1].startswith("fumehood: ended by") and len(lines) == 2, text


def test_streams_that_go_apart_do_not_meet(hood):
    run = hood.shell(HALF % "", options=["--limit", "wall_ms=300ms"])
    assert run.out == b"half a line" and run.said.startswith("fumehood: ended by"), run


def test_denials_stand_on_a_line_of_their_own_too(hood):
    run = hood.python("import socket, sys\ntry: socket.socket(socket.AF_PACKET)\nexcept OSError: pass\nsys.stderr.write('half')")
    assert run.said.splitlines()[0] == "half" and run.said.splitlines()[1].startswith("fumehood: denied"), run


# ---------------------------------------------------------------- what, how much, and what changes it

FULL = "import os\nfor i in range(100): open('f%d' % i, 'wb').write(b'x' * 10000)"


@pytest.mark.parametrize("source,limit,parts", [
    ("import time\ntime.sleep(9)", "wall_ms=300ms", ["wall limit of 300ms", "--limit wall_ms=TIME"]),
    ("print('x' * 100)", "stdout_bytes=64B", ["output limit of 64B on stdout", "--limit stdout_bytes=SIZE"]),
    ("import sys\nsys.stderr.write('x' * 100 + '\\n')", "stderr_bytes=64B", ["output limit of 64B on stderr", "--limit stderr_bytes=SIZE"]),
    (FULL, "scratch_bytes=256KiB", ["disk limit of 256KiB", "--limit scratch_bytes=SIZE"]),
    (FULL, "scratch_inodes=32", ["disk limit of 32 files", "--limit scratch_inodes=NUMBER"]),
    ("import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nf = open('f', 'wb')\nfor i in range(9): f.write(b'x' * 8192); f.flush()",
     "file_bytes=16KiB", ["disk limit of 16KiB for one file", "--limit file_bytes=SIZE"]),
    ("import sys\nsys.stdin.read()", "stdin_bytes=16B", ["input limit of 16B", "--limit stdin_bytes=SIZE"]),
], ids=lambda value: value if isinstance(value, str) and "=" in value and len(value) < 30 else "")
def test_a_limit_says_its_value_and_its_option(hood, source, limit, parts):
    run = hood.python(source, options=["--limit", limit], stdin=b"y" * 100)
    lines = [line for line in run.said.splitlines() if line.startswith("fumehood: ended by")]
    assert len(lines) == 1 and all(part in lines[0] for part in parts), run
    expect_ending(run, "limit")


@pytest.mark.parametrize("source,limit,parts", [
    ("x = bytearray(10**9)", "memory_bytes=64MiB", ["memory limit of 64MiB", "--limit memory_bytes=SIZE"]),
    ("while True: pass", "cpu_ms=300ms", ["cpu limit of 300ms", "--limit cpu_ms=TIME"]),
    ("import time\ntime.sleep(99)", "idle_ms=300ms", ["idle limit of 300ms", "--limit idle_ms=TIME"]),
    ("import os\nfor i in range(40):\n  if os.fork() == 0:\n    import time; time.sleep(99)", "processes=8", ["processes limit of 8", "--limit processes=NUMBER"]),
], ids=["memory", "cpu", "idle", "processes"])
def test_a_limit_of_a_group_says_so_too(hood, source, limit, parts):
    need_groups()
    test_a_limit_says_its_value_and_its_option(hood, source, limit, parts)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT, signal.SIGTERM, 40])
def test_a_death_by_signal_says_which(hood, number):
    run = hood.shell("kill -%d $$" % number)
    expect_status(run, 128 + number)
    name = " (%s)" % signal.Signals(number).name if number < 32 else ""
    assert "fumehood: the program was ended by signal %d%s" % (number, name) in run.said, run
    assert ("no limit" in run.said) == (number == signal.SIGKILL), run


def test_an_exit_says_nothing(hood):
    for status in (0, 1, 124, 137, 255):
        assert hood.shell("exit %d" % status).err == b""


def test_results_say_how_much(hood, tmp_path):
    tasks = hood.file("t.json", '[{"id": "a", "stdin": "", "expect": "x"}, {"id": "b", "stdin": "", "expect": "x"}]')
    (tmp_path / "c").mkdir()
    hood.file("c/a.py", "import time\ntime.sleep(9)")
    hood.file("c/b.py", "import sys\nsys.stderr.write('x' * 2000)")
    out = tmp_path / "out"
    hood.call("eval", tasks, "--candidates", tmp_path / "c", "--out", out, "--limit", "wall_ms=400ms", "--limit", "stderr_bytes=1KiB")
    assert {row["task_id"]: (row["verdict"], row["detail"]) for row in results_of(out)} == {
        "a": ("timeout", "wall limit of 400ms"), "b": ("output-limit", "output limit of 1KiB on stderr")}


# ---------------------------------------------------------------- signals to fumehood

@pytest.mark.parametrize("number,cage", [(int(number), "fresh") for number in NAMED] +
                         [(int(number), cage) for cage in ("slot", "zygote") for number in (signal.SIGQUIT, signal.SIGUSR1, 64)])
def test_every_signal_cancels_the_run(hood, number, cage):
    groups = own_cgroups()
    process = hood.start(hood.program(WAIT, "py"), options=["--cage", cage], preexec_fn=take_signals)
    assert process.stdout.readline() == b"up\n"
    os.kill(process.pid, number)
    run = finish(process, 20)
    assert run.status == 128 + number, run
    assert run.said.startswith("fumehood: cancelled: signal %d" % number), run
    expect_whole_receipt(run.receipt)
    assert run.ending["kind"] == "cancelled" and run.receipt["stdout"]["text"] == "up\n"
    assert not processes_with(hood.nonce) and not dead_cgroups(groups)


def test_no_moment_loses_the_receipt(hood):
    """Once there is something to clear up, the end is an orderly one."""
    for number in range(12):
        groups = own_cgroups()
        process = hood.start(hood.program(WAIT, "py"), preexec_fn=take_signals)
        time.sleep(number * 0.002)
        process.send_signal(signal.SIGQUIT)
        run = finish(process, 20)
        assert run.status == 128 + signal.SIGQUIT or run.status == -signal.SIGQUIT, run
        if run.status > 0:
            assert run.ending["kind"] == "cancelled", run
        assert wait_until(lambda: not processes_with(hood.nonce), 3) and not dead_cgroups(groups)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1])
def test_what_is_ignored_stays_ignored(hood, number):
    """nohup, and a shell that starts it in the background."""
    def ignore():
        take_signals()
        signal.signal(number, signal.SIG_IGN)
    process = hood.start(hood.program("print('up', flush=True)\ninput()\nprint('done')", "py"), stdin=subprocess.PIPE, preexec_fn=ignore)
    assert process.stdout.readline() == b"up\n"
    process.send_signal(number)
    time.sleep(0.2)
    assert process.poll() is None, "ended by signal %d, which it was started to ignore" % number
    out, err = process.communicate(b"\n", timeout=20)
    assert process.returncode == 0 and out == b"done\n", (process.returncode, err)


def test_a_guest_has_every_signal_as_usual(hood):
    def ignore():
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
    for cage in ("fresh", "slot"):
        run = hood.shell("grep -E 'Sig(Blk|Ign)' /proc/self/status", options=["--cage", cage], preexec_fn=ignore)
        assert [line.split()[1].strip("0") for line in run.text.splitlines()] == ["", ""], run


def test_stopped_and_continued(hood):
    """Ctrl-Z and fg: the guest's time goes on, and the run ends as it would have."""
    process = hood.start(hood.program("print('up', flush=True)\nimport time\ntime.sleep(0.5)\nprint('done')", "py"), preexec_fn=take_signals)
    assert process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGTSTP)
    time.sleep(0.8)
    process.send_signal(signal.SIGCONT)
    run = finish(process, 20)
    assert run.status == 0 and run.out == b"done\n", run


@pytest.mark.parametrize("number", [int(number) for number in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM, 64)])
def test_every_signal_interrupts_an_evaluation(hood, number):
    tasks = hood.file("t.json", '[{"id": "a", "stdin": "", "expect": "x"}, {"id": "b", "stdin": "", "expect": "x"}]')
    for name in "ab":
        hood.file("c/%s.py" % name, "import time\ntime.sleep(100)")
    groups, out = own_cgroups(), hood.folder / "out"
    words = hood.command("eval", tasks, "--candidates", hood.folder / "c", "--out", out, "--env", "STORY_NONCE=" + hood.nonce, "--limit", "wall_ms=60s")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=take_signals)
    assert wait_until(hood.guests, 20)
    os.kill(process.pid, number)
    said = process.communicate(timeout=30)[1].decode()
    assert process.returncode == 3 and "--resume" in said, said
    assert (out / "summary.json").exists()
    assert wait_until(lambda: not processes_with(hood.nonce), 5) and not dead_cgroups(groups)
