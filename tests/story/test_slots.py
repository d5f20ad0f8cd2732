"""What is particular to runs in a slot that could serve many: its keeper, and what becomes of both.

That guests see nothing of each other is proved by tests/endure/test_slots.c; that a slot is as good a cage as a fresh
one by the other stories, which tests/run_all.sh runs in slots too.
"""
import json
import os
import pathlib
import signal
import subprocess
import time

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


# ---------------------------------------------------------------- one run after the other: counts are the run's own

def in_turn(hood, programs, cage, *options):
    """The receipts of runs that one worker has in its two slots, one after the other, in their order."""
    tasks = [{"id": "t%03d" % n, "prompt": "", "stdin": "", "expect": "nothing of them"} for n in range(len(programs))]
    folder = hood.folder / "programs"
    folder.mkdir()
    for n, (extension, source) in enumerate(programs):
        (folder / ("t%03d.%s" % (n, extension))).write_text(source)
    out = hood.folder / "out"
    hood.call("eval", hood.file("tasks.json", json.dumps(tasks)), "--candidates", folder, "--out", out, "--jobs", "1", "--cage", cage, *options, timeout=120)
    receipts = [json.loads(line) for line in (out / "receipts.jsonl").read_text().splitlines()]
    return sorted(receipts, key=lambda receipt: receipt["eval"]["task_id"])


ALONE = ("sh", "exit 0\n")
THREE = ("sh", "sleep 0.05 & sleep 0.05 & wait\n")
THREADS = ("py", "import threading\nwait = threading.Event()\nthreads = [threading.Thread(target=wait.wait) for _ in range(3)]\n"
                 "[one.start() for one in threads]\nwait.set()\n[one.join() for one in threads]\n")
WHERE = ("py", "print(open('/pr' + 'oc/self/cgro' + 'up').read(), end='')\n")
LARGE = ("py", "x = bytearray(40 << 20)\n")
SMALL = ("py", "x = 1\n")


@pytest.mark.parametrize("cage", ["slot", "zygote"])
def test_several_processes_and_threads_keep_their_slot(hood, cage):
    need_groups()
    programs = [ALONE, THREE, ALONE, THREADS, SMALL, THREE, THREADS, THREE, ALONE, SMALL, ALONE] * 2
    receipts = in_turn(hood, programs, cage)
    assert [receipt["teardown"]["slot"] for receipt in receipts] == [{"state": "clean", "why": None}] * len(programs)
    assert [receipt["teardown"]["cgroups_left"] for receipt in receipts] == [0] * len(programs)
    wanted = {ALONE: [1], SMALL: [1], THREE: [3], THREADS: [2, 3, 4]}
    for program, receipt in zip(programs, receipts):
        assert receipt["usage"]["processes_peak"] in wanted[program], (program, receipt["usage"])


@pytest.mark.parametrize("cage", ["slot", "zygote"])
def test_a_run_does_not_see_that_another_was_before_it(hood, cage):
    receipts = in_turn(hood, [WHERE, WHERE, THREE, THREE, WHERE, WHERE], cage)
    seen = {receipt["stdout"]["text"] for receipt in receipts if receipt["stdout"]["text"]}
    assert len(seen) == 1 and ".." not in seen.pop()


@pytest.mark.parametrize("cage", ["slot", "zygote"])
def test_the_memory_of_a_run_is_not_the_next_ones(hood, cage):
    need_groups()
    receipts = in_turn(hood, [SMALL, SMALL, LARGE, LARGE, SMALL, SMALL, SMALL], cage)
    peaks = [receipt["usage"]["memory_peak_bytes"] for receipt in receipts]
    assert all(peak > 40 << 20 for peak in peaks[2:4]) and all(peak < 30 << 20 for peak in peaks[:2] + peaks[4:]), peaks


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_a_limit_of_memory_is_met_exactly(hood, cage):
    need_groups()
    run = hood.python("x = []\nwhile True:\n    x.append(bytearray(1 << 20))\n", options=["--cage", cage, "--limit", "memory_bytes=64MiB"])
    expect_ending(expect_status(run, 137), "limit", limit="memory")
    assert 56 << 20 < run.receipt["usage"]["memory_peak_bytes"] <= 64 << 20


def memory_groups():
    for line in pathlib.Path("/proc/cgroups").read_text().splitlines():
        if line.startswith("memory"):
            return int(line.split()[2])
    return 0


def test_two_hundred_runs_leave_no_group_of_memory(hood):
    """Also none that is gone and only kept by what was charged to it. On a machine with others, theirs come and go."""
    need_groups()
    before = memory_groups()
    receipts = in_turn(hood, [SMALL, THREE, ALONE, THREADS] * 50, "zygote")
    dropped = [receipt["teardown"]["slot"]["why"] for receipt in receipts if receipt["teardown"]["slot"]["why"]]
    assert len(dropped) <= 2, dropped  # on a busy machine one may not be proved clean in time
    assert wait_until(lambda: memory_groups() <= before + 5, 20, 0.5), (before, memory_groups())


def test_a_killed_supervisor_leaves_no_group_of_either_name(hood):
    """After a run with several processes the slot's group of processes is the other of two."""
    need_groups()
    groups = own_cgroups()
    tasks = [{"id": "t%d" % n, "prompt": "", "stdin": "", "expect": "nothing of them"} for n in range(6)]
    for n in range(6):
        hood.file("many/t%d.sh" % n, THREE[1] if n < 4 else "echo up; sleep 20\n")
    process = subprocess.Popen(hood.command("eval", hood.file("tasks.json", json.dumps(tasks)), "--candidates", hood.folder / "many", "--jobs", "1",
                                            "--cage", "slot", "--out", hood.folder / "out"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = hood.folder / "out" / "results.jsonl"
    assert wait_until(lambda: results.exists() and len(results_of(results.parent)) == 4, 20, 0.2) and process.poll() is None
    time.sleep(1)
    process.kill()
    process.wait()
    time.sleep(1)
    expect_next_start_clears(hood, groups)
