"""What is particular to runs in a slot that could serve many: its keeper, and what becomes of both.

That guests see nothing of each other is proved by tests/endure/test_slots.c; that a slot is as good a cage as a fresh
one by the other stories, which tests/run_all.sh runs in slots too.
"""
import os
import pathlib
import signal

import pytest

from hood import *

SLOT = ["--cage", "slot"]
UP = "echo up; sleep 1; echo end"
COUNTS = """
import os, sys, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(20)
        count += 1
except OSError:
    print(count, flush=True)
os._exit(0)
"""


def children(pid):
    try:
        return [int(word) for word in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]
    except OSError:
        return []


def keeper_and_first(supervisor):
    """The keeper whose cage has a guest, and that cage's first process."""
    pairs = [(keeper, first) for keeper in children(supervisor) for first in children(keeper) if children(first)]
    return pairs[0] if pairs else None


def start(hood, source=UP, options=()):
    process = hood.start(hood.program(source, "sh"), options=[*SLOT, *options])
    assert process.stdout.readline() == b"up\n", finish(process)
    return process, *wait_until(lambda: keeper_and_first(process.pid), 5)


def expect_dropped(run, *reasons):
    slot = run.receipt["teardown"]["slot"]
    assert slot["state"] == "dropped" and (not reasons or slot["why"] in reasons), slot
    return run


def expect_clean(run):
    assert run.receipt["cage"] == "slot" and run.receipt["teardown"]["slot"] == {"state": "clean", "why": None}, run.receipt
    return run


# ---------------------------------------------------------------- a receipt tells

def test_a_receipt_tells_of_its_slot(hood):
    expect_clean(expect_ending(hood.shell("exit 0", options=SLOT), "exited", exit_code=0))
    assert "slot" not in hood.shell("exit 0", options=["--fresh"]).receipt["teardown"]
    expect_dropped(hood.python("import time; time.sleep(0)", options=[*SLOT, "--policy", hood.policy("p.yaml", "network: loopback\n")]),
                   "its network was used", "memory is left charged to its groups")


# ---------------------------------------------------------------- somebody kills or stops what belongs to it

@pytest.mark.parametrize("which", [0, 1])
def test_a_killed_keeper_or_first_process_is_a_lost_run(hood, which):
    process, *pids = start(hood, "echo up; sleep 20")
    os.kill(pids[which], signal.SIGKILL)
    run = expect_status(finish(process, 20), 125)
    expect_ending(run, "lost")
    if which == 0:
        expect_dropped(run)
    assert "killed" in run.said, run
    assert run.receipt["stdout"]["text"] == "up\n"
    assert not processes_with(hood.nonce)


def test_a_stopped_keeper_does_not_hold_up_a_verdict(hood):
    """The run is what it is, whatever becomes of the slot."""
    process, keeper, _ = start(hood)
    os.kill(keeper, signal.SIGSTOP)
    run = expect_status(finish(process, 40), 0)
    expect_ending(run, "exited", exit_code=0)
    assert run.receipt["usage"]["wall_us"] < 5_000_000


def test_a_killed_supervisor_leaves_no_keeper(hood):
    groups = own_cgroups()
    process, keeper, first = start(hood, "echo up; sleep 20")
    all_of_them = [keeper, first, *children(process.pid), *hood.guests()]
    process.kill()
    process.communicate(timeout=20)
    assert wait_until(lambda: not any(os.path.exists("/proc/%d" % pid) for pid in all_of_them), 5)
    expect_next_start_clears(hood, groups)


def test_a_keeper_that_the_kernel_kills_for_memory_is_a_memory_limit(hood):
    """A guest whose memory is files is smaller than its keeper, and that is what the kernel takes."""
    need_groups()
    guest = hood.compile(r"""
#include <fcntl.h>
#include <unistd.h>
static char block[65536];
int main(void) { int fd = open("/dev/shm/x", O_CREAT | O_RDWR, 0600); while (write(fd, block, sizeof(block)) > 0); return 1; }
""", "-static")
    run = hood.run(guest, options=[*SLOT, "--limit", "memory_bytes=16MiB", "--limit", "scratch_bytes=64MiB", "--limit", "file_bytes=64MiB"])
    expect_status(run, 137)
    expect_ending(run, "limit", limit="memory")


# ---------------------------------------------------------------- limits are those of the guest

@pytest.mark.parametrize("cage", ["fresh", "slot"])
def test_the_limit_of_processes_is_the_guests_own(hood, cage):
    run = hood.python(COUNTS, options=["--cage", cage, "--limit", "processes=8"])
    assert run.text == "7\n", run


@pytest.mark.parametrize("cage", ["fresh", "slot"])
def test_the_limit_of_processes_is_the_guests_own_for_a_user(user_hood, cage):
    run = user_hood.python(COUNTS, options=["--cage", cage, "--limit", "processes=8", "--policy", "if-available"])
    assert run.text == "7\n", run


# ---------------------------------------------------------------- many at once

def test_fifty_at_once(hood):
    """Each has two slots of its own."""
    program = hood.program("import os\nprint(os.getpid(), sorted(os.listdir('/proc'))[:2], os.listdir('/tmp'))\nopen('/tmp/mine', 'w').write('x')", "py")
    processes = [hood.start(program, options=[*SLOT, "--limit", "wall_ms=60s"]) for _ in range(50)]
    runs = [finish(process, 120) for process in processes]
    assert {run.text for run in runs} == {runs[0].text} and runs[0].text.endswith("[]\n"), {repr(run) for run in runs}
    for run in runs:
        expect_ending(run, "exited", exit_code=0)
        assert run.receipt["cage"] == "slot"
