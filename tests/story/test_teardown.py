"""However a run ends, nothing of it stays."""
import os
import random
import signal

import pytest

from hood import *

CLING = r"""
import os, signal, time
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)
for generation in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(0.05)
        os._exit(0)
print('up', flush=True)
while True: time.sleep(0.05)
"""


def test_killing_fumehood_kills_the_guest(hood):
    """SIGKILL at thirty random moments; the dice are thrown anew each time, and shown when it fails."""
    groups = own_cgroups()
    seed = random.randrange(1 << 30)
    dice = random.Random(seed)
    program = hood.program(CLING, "py")
    for number in range(30):
        process = hood.start(program)
        delay = dice.choice((dice.uniform(0, 0.02), dice.uniform(0, 0.15)))
        time.sleep(delay)
        process.kill()
        process.communicate(timeout=20)
        gone = wait_until(lambda: not processes_with(hood.nonce), 5)
        assert gone, "seed %d, kill %d after %.4f s: alive %s" % (seed, number, delay, processes_with(hood.nonce))
    expect_next_start_clears(hood, groups)


def test_killing_the_whole_process_group(hood):
    groups = own_cgroups()
    process = hood.start(hood.program(CLING, "py"), start_new_session=True)
    assert process.stdout.readline() == b"up\n"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    assert wait_until(lambda: not processes_with(hood.nonce), 5)
    expect_next_start_clears(hood, groups)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_run_leaves_a_receipt(hood, number):
    process = hood.start(hood.program(CLING, "py"))
    assert process.stdout.readline() == b"up\n"
    process.send_signal(number)
    run = finish(process, 20)
    assert run.status != 0
    expect_ending(run, "cancelled")
    assert run.receipt["stdout"]["text"] == "up\n"
    assert not processes_with(hood.nonce)


def time_is_up_and_signals_work(hood, process):
    assert wait_until(hood.guests, 5), "no guest came up"
    assert wait_until(lambda: not hood.guests(), 8), "the guest outlives its time"
    process.terminate()
    assert wait_until(lambda: process.poll() is not None, 8), "SIGTERM does not end it"


@pytest.mark.parametrize("source", ["os.write(1, b'x' * 500000)", "while True: os.write(1, b'x' * 5000)"])
def test_a_reader_that_does_not_read(hood, source):
    """The guest's time is up all the same, and a signal ends fumehood."""
    process = hood.start(hood.program("import os\n" + source, "py"), options=["--limit", "wall_ms=1s", "--limit", "stdout_bytes=64MiB"])
    try:
        time_is_up_and_signals_work(hood, process)
    finally:
        process.kill()
        process.communicate(timeout=20)


def test_a_terminal_that_is_not_read(hood):
    """A terminal takes fewer bytes than a pipe before it blocks: the clock goes on, and so do signals."""
    ours, theirs = os.openpty()
    process = hood.start(hood.program("import os\nwhile True: os.write(1, b'x' * 5000)", "py"),
                         options=["--limit", "wall_ms=1s", "--limit", "stdout_bytes=64MiB"], stdout=theirs)
    os.close(theirs)
    try:
        time_is_up_and_signals_work(hood, process)
    finally:
        process.kill()
        process.wait(timeout=20)
        os.close(ours)


def test_a_stopped_supervisor_gives_no_time_away(hood):
    """Ctrl-Z, say: the cage has a clock of its own."""
    process = hood.start(hood.program("while True: pass", "py"), options=["--limit", "wall_ms=1s"])
    try:
        assert wait_until(hood.guests, 5), "no guest came up"
        process.send_signal(signal.SIGSTOP)
        assert wait_until(lambda: not hood.guests(), 10), "the guest outlives its time"
    finally:
        process.send_signal(signal.SIGCONT)
    run = finish(process, 20)
    assert run.status == 124
    expect_ending(run, "limit", limit="wall")


def test_two_signals_are_no_more_than_one(hood):
    process = hood.start(hood.program(CLING, "py"))
    assert process.stdout.readline() == b"up\n"
    for _ in range(5):
        try:
            process.send_signal(signal.SIGINT)
        except ProcessLookupError:
            break
    finish(process, 20)
    assert wait_until(lambda: not processes_with(hood.nonce), 5)


def test_a_signal_before_the_guest_is_up(hood):
    for delay in (0, 0.001, 0.003, 0.006, 0.01):
        process = hood.start(hood.program(CLING, "py"))
        time.sleep(delay)
        process.send_signal(signal.SIGTERM)
        finish(process, 20)
        assert wait_until(lambda: not processes_with(hood.nonce), 3), processes_with(hood.nonce)
    # One that was ended before it listened to signals may have left groups: the next start clears them.
    expect_ending(hood.shell("exit 0"), "exited", exit_code=0)


def test_a_grandchild_that_holds_the_pipes(hood):
    run = hood.python("import os,time\nif os.fork() == 0:\n  if os.fork() == 0:\n    while True: time.sleep(1)\n  os._exit(0)\nos.wait()\nprint('over')", options=["--limit", "wall_ms=60s"])
    assert run.seconds < 20 and run.out == b"over\n"
    expect_ending(run, "exited", exit_code=0)


def test_a_grandchild_that_writes_without_end(hood):
    run = hood.python("import os\nif os.fork() == 0:\n  while True: os.write(1, b'noise')\nos._exit(4)", options=["--limit", "wall_ms=60s"])
    assert run.seconds < 20 and run.status in (4, 122), run


def test_a_wide_tree_of_stopped_daemons(hood):
    run = hood.python("""
import os, signal, time
for n in range(30):
    if os.fork() == 0:
        os.setsid()
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
time.sleep(0.1)
""")
    expect_status(run, 0)
    if has_groups():
        assert run.receipt["usage"]["processes_peak"] >= 20


def test_orphans_are_reaped_while_the_guest_runs(hood):
    """Three hundred orphans one after another do not use up the process limit."""
    run = hood.python("import os\nfor n in range(300):\n  pid = os.fork()\n  if pid == 0:\n    if os.fork() == 0: os._exit(0)\n    os._exit(0)\n  os.waitpid(pid, 0)\nprint('all')",
                      options=["--limit", "processes=32"])
    assert run.out == b"all\n", run


def test_files_of_every_kind_are_gone(hood):
    run = hood.python("""
import os, socket
os.makedirs('/work/' + '/'.join(['deep'] * 100)); os.mkfifo('/work/fifo'); os.symlink('/', '/work/link'); os.link('/work/fifo', '/work/hard')
socket.socket(socket.AF_UNIX).bind('/work/sock'); os.mkdir('/work/none', 0); open('/tmp/' + 'x' * 250, 'w')
""")
    expect_status(run, 0)
    assert run.receipt["teardown"]["files_left"] == 0


def test_teardown_is_measured(hood):
    assert 0 < hood.shell("exit 0").receipt["teardown"]["us"] < 5_000_000
