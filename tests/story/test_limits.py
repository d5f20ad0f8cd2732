"""Everything that can be used up has a limit, and the ending says which one it was."""
import hashlib
import json
import os
import pathlib
import re
import subprocess

import pytest

from hood import *


def limits(*assignments):
    """Options for limits; those that a control group must keep are tested only where there is one."""
    if any(assignment.startswith(("memory_bytes=", "cpu_ms=", "idle_ms=", "cpus=")) for assignment in assignments):
        need_groups()
    return [word for assignment in assignments for word in ("--limit", assignment)]


def expect_soon(run, seconds=10):
    assert run.seconds < seconds, "took %.1f s" % run.seconds
    return run


# ---------------------------------------------------------------- the ten programs

def test_fills_memory(hood):
    run = hood.python("print('begun', flush=True)\nhoard = []\nwhile True: hoard.append(b'x' * (4 << 20))",
                      options=limits("memory_bytes=96MiB"))
    expect_soon(expect_status(run, 137))
    expect_ending(run, "limit", limit="memory")
    assert run.out == b"begun\n"
    assert run.receipt["limits"]["memory_bytes"]["value"] == 96 << 20
    assert run.receipt["usage"]["memory_peak_bytes"] <= (96 << 20) + (8 << 20)


def test_fills_memory_in_a_child(hood):
    """The child dies of it while the parent copes: the run still says that memory ran out."""
    run = hood.python("import os\npid = os.fork()\nif pid == 0:\n  h = []\n  while True: h.append(b'x' * (4 << 20))\nos.waitpid(pid, 0)\nprint('parent copes')",
                      options=limits("memory_bytes=96MiB"))
    expect_soon(run)
    receipt = run.receipt
    assert receipt["ending"]["limit"] == "memory" or receipt["limits"]["memory_bytes"]["hits"] > 0, receipt["ending"]


def test_memory_in_files_counts(hood):
    run = hood.python("f = open('/dev/shm/x' if __import__('os').access('/dev/shm', 2) else '/tmp/x', 'wb')\nwhile True: f.write(b'x' * (1 << 20))",
                      options=limits("memory_bytes=64MiB", "scratch_bytes=512MiB", "file_bytes=512MiB"))
    expect_soon(run)
    assert run.status != 0
    assert run.ending["limit"] in ("memory", "disk") or run.receipt["limits"]["memory_bytes"]["hits"] > 0, run.ending


def test_forks_without_end(hood):
    run = hood.python("import os\nwhile True: os.fork()", options=limits("wall_ms=4s", "processes=24"))
    expect_soon(run, 12)
    assert run.status not in (0, 125)
    expect_whole_receipt(run.receipt)
    if has_groups():
        assert run.receipt["limits"]["processes"]["hits"] > 0
        assert run.receipt["usage"]["processes_peak"] <= 24
    assert run.ending["limit"] in ("processes", "wall") or run.ending["kind"] == "exited", run.ending


def test_forks_and_copes(hood):
    run = hood.python("""
import os, time
children = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(60)
    except OSError as why:
        print(why.errno, children > 3)
        break
    children += 1
""", options=limits("processes=16"))
    expect_soon(expect_status(run, 0))
    expect_ending(run, "exited", exit_code=0, limit=None)
    assert run.text == "11 True\n"
    if has_groups():
        assert run.receipt["limits"]["processes"]["hits"] > 0


def test_threads_count_as_processes(hood):
    run = hood.python("import threading,time\ntry:\n  for n in range(100): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\nexcept RuntimeError: print('stopped', n < 16, flush=True)\n__import__('os')._exit(0)",
                      options=limits("processes=16"))
    assert run.text == "stopped True\n", run


def test_one_bomb_does_not_starve_another_run(hood):
    bomb = hood.start(hood.program("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", "py"), options=limits("wall_ms=5s"))
    wait_until(lambda: len(hood.guests()) > 20, 5)
    words, receipt = hood.words(hood.program("import os\nprint(os.fork() >= 0)\nos.wait() if 0 else 0", "py"))
    other = hood.call(*words)
    assert other.status == 0 and b"True" in other.out, other
    finish(bomb)


def test_fills_the_disk(hood):
    run = hood.python("""
import os
name = 0
while True:
    with open('/work/f%d' % name, 'wb') as file: file.write(b'x' * (1 << 20))
    name += 1
""", options=limits("scratch_bytes=8MiB"))
    expect_soon(run)
    assert run.status not in (0, 125)
    expect_whole_receipt(run.receipt)
    assert run.ending["limit"] == "disk" or (run.ending["kind"] == "exited" and b"No space left" in run.err), run.ending


def test_the_scratch_limit_is_one_for_all_places(hood):
    run = hood.python("""
import os
total = 0
for place in ('/work', '/tmp', '/dev/shm'):
    try:
        with open(place + '/f', 'wb', buffering=0) as file:
            while True: total += file.write(b'x' * 65536)
    except OSError: pass
print(total)
""", options=limits("scratch_bytes=8MiB"))
    expect_status(run, 0)
    assert 4 << 20 <= int(run.text) <= 9 << 20, run.text
    expect_ending(run, "exited", exit_code=0)


def test_fills_the_disk_and_copes(hood):
    run = hood.python("try:\n  open('/work/f','wb').write(b'x' * (16 << 20))\nexcept OSError as why: print(why.errno)", options=limits("scratch_bytes=4MiB"))
    expect_status(run, 0)
    assert run.text == "28\n"
    expect_ending(run, "exited", exit_code=0, limit=None)
    assert run.receipt["usage"]["scratch_peak_bytes"] >= 1 << 20


def test_fills_the_inodes(hood):
    run = hood.python("n = 0\ntry:\n  while True:\n    open('/work/f%d' % n, 'x').close(); n += 1\nexcept OSError as why: print(why.errno, 150 < n <= 250)", options=limits("scratch_inodes=200"))
    assert run.text == "28 True\n", run


def test_one_large_file(hood):
    run = hood.python("import os,signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\ntry:\n  open('/work/f','wb').write(b'x' * (4 << 20))\nexcept OSError as why: print(why.errno)", options=limits("file_bytes=1MiB"))
    assert run.text == "27\n", run


def test_floods_its_output(hood):
    run = hood.python("while True: print('x' * 999)", options=limits("stdout_bytes=100kB"))
    expect_soon(expect_status(run, 122))
    expect_ending(run, "limit", limit="output")
    stream = run.receipt["stdout"]
    assert stream["kept_bytes"] == 100_000 and stream["truncated"] and stream["bytes"] >= stream["kept_bytes"]
    assert run.out == (b"x" * 999 + b"\n") * 100
    assert re.search("fumehood: ", run.said)


def test_floods_its_errors(hood):
    run = hood.shell("echo fine; while :; do echo trouble >&2; done", options=limits("stderr_bytes=64KiB"))
    expect_soon(expect_status(run, 122))
    expect_ending(run, "limit", limit="output")
    assert run.out == b"fine\n" and run.receipt["stderr"]["kept_bytes"] == 64 << 10


def test_output_at_the_limit_is_fine(hood):
    run = hood.python("import os\nos.write(1, b'x' * 1000)", options=limits("stdout_bytes=1000"))
    expect_status(run, 0)
    expect_ending(run, "exited", exit_code=0)
    assert run.receipt["stdout"]["truncated"] is False and len(run.out) == 1000


def test_truncate_goes_on_counting(hood):
    policy = hood.policy("truncate.yaml", "output_limit: truncate\n")
    run = hood.python("import os\nfor _ in range(50): os.write(1, b'abcdefghij' * 1000)\nos.write(2, b'end')",
                      options=["--policy", policy] + limits("stdout_bytes=1000"))
    expect_status(run, 0)
    expect_ending(run, "exited", exit_code=0)
    stream = run.receipt["stdout"]
    assert (stream["bytes"], stream["kept_bytes"], stream["truncated"]) == (500_000, 1000, True)
    assert stream["sha256"] == hashlib.sha256(b"abcdefghij" * 50_000).hexdigest()
    assert run.receipt["stderr"]["text"] == "end"


def test_burns_cpu(hood):
    run = hood.python("print('begun', flush=True)\nwhile True: pass", options=limits("cpu_ms=500ms"))
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="cpu")
    assert run.out == b"begun\n" and run.receipt["usage"]["cpu_us"] >= 450_000


def test_burns_cpu_in_many_processes(hood):
    run = hood.python("import os\nfor _ in range(3): os.fork()\nwhile True: pass", options=limits("cpu_ms=600ms"))
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="cpu")


def test_burns_cpu_in_children_that_end(hood):
    run = hood.shell("while :; do sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done'; done", options=limits("cpu_ms=500ms"))
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="cpu")


def test_sleeping_is_not_cpu(hood):
    expect_status(hood.python("import time\ntime.sleep(1.2)", options=limits("cpu_ms=400ms")), 0)


def test_sleeps_past_the_wall(hood):
    run = hood.python("import time\nprint('begun', flush=True)\ntime.sleep(600)", options=limits("wall_ms=1s"))
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="wall")
    assert run.out == b"begun\n"
    assert 950_000 <= run.receipt["usage"]["wall_us"] <= 5_000_000
    assert re.search("fumehood: .*wall", run.said), run


def test_ignores_signals_and_sleeps(hood):
    run = hood.python("import signal,time\nfor n in range(1, 65):\n  try: signal.signal(n, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: time.sleep(1)",
                      options=limits("wall_ms=1s"))
    expect_soon(expect_status(run, 124))


def test_idles(hood):
    run = hood.python("import time\nprint('begun', flush=True)\ntime.sleep(600)", options=limits("idle_ms=700ms", "wall_ms=20s"))
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="idle")


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_idles_for_a_longer_time(hood, cage):
    """The cage's own process wakes twenty times a second, and that is no work of the guest's."""
    run = hood.python("import time\nprint('begun', flush=True)\ntime.sleep(600)", options=limits("idle_ms=4s", "wall_ms=60s") + ["--cage", cage])
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="idle")


def test_a_little_work_is_not_idling(hood):
    """Less than a hundredth of a processor."""
    run = hood.python("""
import time
end = time.monotonic() + 5
while time.monotonic() < end:
    time.sleep(0.5); spent = time.process_time() + 0.004
    while time.process_time() < spent: pass
""", options=limits("idle_ms=2s", "wall_ms=60s"))
    expect_status(run, 0)


def test_working_is_not_idling(hood):
    run = hood.python("import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass", options=limits("idle_ms=700ms"))
    expect_status(run, 0)


def test_opens_files_and_copes(hood):
    run = hood.python("held = []\ntry:\n  while True: held.append(open('/dev/null'))\nexcept OSError as why: print(why.errno, len(held) < 64)", options=limits("open_files=64"))
    assert (run.status, run.text) == (0, "24 True\n"), run
    expect_ending(run, "exited", exit_code=0)


@pytest.mark.parametrize("count", [1, 8, 12, 15, 16, 17])
def test_few_open_files_are_enough_or_refused(hood, count):
    """Never a cage that cannot be built."""
    run = hood.call("run", "--limit", "open_files=%d" % count, hood.program("echo ran", "sh"))
    assert (run.status, run.text) == (0, "ran\n") or (run.status == 2 and "no program starts with fewer than 16" in run.said), run
    assert (run.status == 0) == (count >= 16), run


def test_opens_files_without_end(hood):
    run = hood.python("held = []\nwhile True: held.append(open('/dev/null'))", options=limits("open_files=64"))
    expect_soon(run)
    assert run.status not in (0, 125) and (run.ending["kind"] == "exited" or run.ending["limit"] == "open_files"), run.ending


def test_daemonises(hood):
    run = hood.python("""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2): os.close(fd)
        while True: time.sleep(1)
    os._exit(0)
os.wait()
print('gone')
""")
    expect_soon(expect_status(run, 0))
    assert run.out == b"gone\n"
    expect_ending(run, "exited", exit_code=0)


def test_stops_itself(hood):
    run = hood.python("import os,signal\nprint('begun', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)\nprint('never')", options=limits("wall_ms=1s"))
    expect_soon(expect_status(run, 124))
    expect_ending(run, "limit", limit="wall")
    assert run.out == b"begun\n"


def test_holds_the_pipes(hood):
    run = hood.python("import os,time\nif os.fork() == 0:\n  time.sleep(600)\nprint('parent')", options=limits("wall_ms=60s"))
    expect_soon(expect_status(run, 0))
    assert run.out == b"parent\n"


# ---------------------------------------------------------------- what is given, and how limits are written

def test_too_much_input(hood):
    run = hood.python("import sys\nprint(len(sys.stdin.buffer.read()))", stdin=b"x" * 5000, options=limits("stdin_bytes=1000"))
    expect_soon(expect_status(run, 122))
    expect_ending(run, "limit", limit="input")


@pytest.mark.parametrize("way", ["file", "pipe", "as it comes"])
def test_of_too_much_input_no_byte_beyond_the_limit_arrives(hood, way):
    """The run ends at the first one, and what came before it may not have been read by then."""
    given = hood.file("in.txt", bytes(range(250)) * 12)
    program = hood.program("cat", "sh")
    if way == "as it comes":
        process = hood.start(program, options=limits("stdin_bytes=1KiB"), stdin=subprocess.PIPE)
        process.stdin.write(given.read_bytes()[:1000])
        process.stdin.flush()
        assert process.stdout.read(1000) == given.read_bytes()[:1000]
        process.stdin.write(b"x" * 25)
        run = finish(process)
        expect_status(run, 122)
    else:
        run = hood.run(program, options=limits("stdin_bytes=1KiB") + (["--stdin", given] if way == "file" else []),
                       **({} if way == "file" else {"stdin": given.read_bytes()}))
        expect_status(run, 122)
        assert given.read_bytes()[:1024].startswith(run.out), run
    expect_ending(run, "limit", limit="input")


def test_input_at_the_limit(hood):
    run = hood.python("import sys\nprint(len(sys.stdin.buffer.read()))", stdin=b"x" * 1000, options=limits("stdin_bytes=1000"))
    assert (run.status, run.out) == (0, b"1000\n"), run


def test_a_guest_may_say_124_itself(hood):
    run = expect_status(hood.shell("exit 124"), 124)
    expect_ending(run, "exited", exit_code=124, limit=None)
    assert run.err == b""


def test_a_guest_that_kills_itself_is_no_memory_limit(hood):
    run = expect_status(hood.python("import os\nos.kill(os.getpid(), 9)"), 137)
    expect_ending(run, "signaled", signal=9, limit=None)


@pytest.mark.parametrize("text,value", [("wall_ms=1500", 1500), ("wall_ms=2s", 2000), ("memory_bytes=256MiB", 256 << 20),
                                        ("memory_bytes=100MB", 100_000_000), ("processes=7", 7), ("wall_ms=1m", 60_000)])
def test_values_with_units(hood, text, value):
    run = hood.shell("exit 0", options=limits(text))
    assert run.receipt["limits"][text.split("=")[0]]["value"] == value


def test_unlimited_is_a_word(hood):
    run = expect_status(hood.shell("exit 0", options=limits("idle_ms=unlimited", "stdout_bytes=unlimited")), 0)
    assert run.receipt["limits"]["stdout_bytes"]["value"] in ("unlimited", None), run.receipt["limits"]["stdout_bytes"]


def test_the_last_one_counts_or_is_refused(hood):
    run = hood.shell("exit 0", options=limits("wall_ms=3s", "wall_ms=4s"))
    assert run.status == 2 or run.receipt["limits"]["wall_ms"]["value"] == 4000


@pytest.mark.parametrize("text", [
    "wall_ms=0", "wall_ms=-1", "wall_ms=+1", "wall_ms=", "wall_ms", "=5", "wall_ms=1.5", "wall_ms=0.0001s", "wall_ms= 5", "wall_ms=5 s",
    "wall_ms=5x", "wall_ms=5MiB", "memory_bytes=5s", "memory_bytes=0x10", "memory_bytes=99999999999999999999",
    "memory_bytes=18446744073709551615GiB", "processes=1e3", "nonsense=5", "WALL_MS=5s", "cpus=0", "processes=inf",
    "wall_ms=nan", "wall_ms=5\n", "wall_ms=٥"])
def test_bad_values_are_usage_errors(hood, text):
    expect_refusal(hood.call("run", "--limit", text, hood.program("print(1)", "py")), 2)


def test_limits_that_nobody_can_keep_are_an_error_not_a_promise(hood):
    """More than the machine gives is refused, or really there."""
    run = hood.python("import resource\nprint(resource.getrlimit(resource.RLIMIT_NOFILE)[0])", options=limits("open_files=1000000000"))
    if run.status == 0:
        assert int(run.text) == 1_000_000_000
    else:
        assert run.status in (2, 125, 126) and run.said.startswith("fumehood: "), run


# ---------------------------------------------------------------- stack

DEEP = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static __attribute__((noinline)) long deep(long n) { volatile char room[64]; room[0] = 1; return n == 0 ? 0 : deep(n - 1) + room[0]; }
static void *thread(void *argument) { return argument; }
int main(int count, char **words)
{
    struct rlimit own;
    pthread_t one;
    int r = pthread_create(&one, NULL, thread, NULL);
    if (r == 0) pthread_join(one, NULL);
    getrlimit(RLIMIT_STACK, &own);
    if (count > 2) { own.rlim_cur = atol(words[2]); setrlimit(RLIMIT_STACK, &own); }
    printf("%d %lld ", r, own.rlim_cur == RLIM_INFINITY ? -1LL : (long long)own.rlim_cur);
    fflush(stdout);
    printf("%ld\n", deep(atol(words[1])));
    return 0;
}
"""


def test_a_million_calls_deep(hood):
    """With a stack for it: the default's is a shell's. Threads start under each, and the program may ask for more itself."""
    program = hood.compile(DEEP, "-pthread")
    shallow = hood.run(program, ["1000000"])
    assert shallow.status == 139 and shallow.text == "0 8388608 ", shallow
    for value, own in ("256MiB", 256 << 20), ("8GiB", 8 << 30), ("unlimited", -1):
        run = hood.run(program, ["1000000"], ["--limit", "stack_bytes=" + value])
        assert run.text == "0 %d 1000000\n" % own, run
        assert run.receipt["limits"]["stack_bytes"]["value"] == ("unlimited" if own < 0 else own), run
    assert hood.run(program, ["1000000", str(256 << 20)]).text == "0 %d 1000000\n" % (256 << 20)
    assert hood.run(program, ["100"], ["--limit", "stack_bytes=256KiB"]).text == "0 262144 100\n"
    expect_refusal(hood.run(program, ["1"], ["--limit", "stack_bytes=255KiB"]), 2, "stack_bytes", "256KiB")


def test_memory_bounds_a_stack_without_limit(hood):
    need_groups()
    run = hood.run(hood.compile(DEEP, "-pthread"), ["100000000"], ["--limit", "stack_bytes=unlimited", "--limit", "memory_bytes=40MiB"])
    expect_status(expect_ending(run, "limit", limit="memory"), 137)


def test_a_fork_of_an_interpreter_has_the_stack_that_it_started_with(hood):
    program = hood.program("import resource\nprint(resource.getrlimit(resource.RLIMIT_STACK)[0])", "py")
    usual = hood.run(program, options=["--cage", "zygote"])
    other = hood.run(program, options=["--cage", "zygote", "--limit", "stack_bytes=64MiB"])
    assert usual.text == "%d\n" % (8 << 20) and usual.receipt["zygote"]["used"], usual
    assert other.text == "%d\n" % (64 << 20) and not other.receipt["zygote"]["used"], other


# ---------------------------------------------------------------- disk

def test_what_the_page_says_about_a_full_disk(hood):
    """Files that stay are seen when the program has ended, however fast that was; what it gives back is not."""
    source = "import sys\ntry:\n    with %s as file: file.write(b'x' * (2 << 20))\nexcept OSError as why: sys.exit(why.errno)\n"
    tight = ["--limit", "scratch_bytes=1MiB"]
    stays = hood.python(source % "open('/work/a', 'wb')", options=tight)
    expect_status(expect_ending(stays, "limit", limit="disk"), 122)
    assert stays.receipt["limits"]["scratch_bytes"]["hits"] == 1
    gone = hood.python(source % "__import__('tempfile').TemporaryFile()", options=tight)
    assert gone.status in (28, 122), gone


# ---------------------------------------------------------------- the last word

# The limits leave time to start in: who is not there yet holds nothing back.
HOLDS_BACK = "import signal, sys, threading, time\nprint('partial')\n%s\n"
ENDLESS = {
    "sleeps": "time.sleep(30)",
    "spins": "while True: pass",
    "waits": "thread = threading.Thread(target=time.sleep, args=(30,)); thread.start(); thread.join()",
    "reads": "sys.stdin.read()",
    "in-a-function": "def solve():\n    while True: sum(range(1000))\nsolve()",
}


@pytest.mark.parametrize("who, name, cage", [("hood", name, cage) for name in ENDLESS for cage in ("fresh", "zygote")] + [
    ("hood", "spins", "slot"), ("user_hood", "sleeps", "fresh")])
def test_what_python_holds_back_at_its_limit_of_time_is_kept(request, who, name, cage):
    hood = request.getfixturevalue(who)
    read, write = os.pipe()
    options = ["--cage", cage, "--limit", "wall_ms=2s"] + (["--if-available"] if hood.prefix else [])
    words, receipt = hood.words(hood.program(HOLDS_BACK % ENDLESS[name], "py"), options=options)
    done = subprocess.run(hood.command(*words), stdin=read, capture_output=True, timeout=60)
    os.close(read), os.close(write)
    assert (done.returncode, done.stdout) == (124, b"partial\n"), done
    assert b"KeyboardInterrupt" in done.stderr, done
    ending = json.loads(receipt.read_text())["ending"]
    assert (ending["kind"], ending["limit"]) == ("limit", "wall"), ending


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_who_waits_for_a_child_has_its_last_word_too(hood, cage):
    """The child is interrupted with it, as by Ctrl-C: Python waits for that."""
    need(tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 9), "no signal for a whole group by a descriptor before Linux 6.9")
    source = "import subprocess\nprint('partial')\nsubprocess.run(['sleep', '60'])\n"
    run = hood.python(source, options=["--cage", cage, "--limit", "wall_ms=2s"])
    expect_status(expect_ending(run, "limit", limit="wall"), 124)
    assert run.out == b"partial\n", run


@pytest.mark.parametrize("limit", ["cpu", "idle"])
def test_so_it_is_at_the_other_limits_of_time(hood, limit):
    need_groups()
    program = HOLDS_BACK % (ENDLESS["spins"] if limit == "cpu" else ENDLESS["sleeps"])
    run = hood.python(program, options=["--limit", limit + "_ms=300ms"])
    expect_status(expect_ending(run, "limit", limit=limit), 124)
    assert run.out == b"partial\n", run


@pytest.mark.parametrize("does", ["time.sleep(60)", "print('more', flush=True)", "sys.exit(0)", "import os; os._exit(0)"])
def test_nothing_is_gained_by_the_last_word(hood, does):
    """Who catches the interrupt, or is deaf to it, ends at the limit all the same, a moment later."""
    source = "import signal, sys, time\ndef word(number, frame):\n    %s\nsignal.signal(signal.SIGINT, word)\nwhile True: time.sleep(0.01)\n"
    for program in (source % does, source.replace("word)", "signal.SIG_IGN)") % "pass"):
        run = hood.python(program, options=["--limit", "wall_ms=300ms"])
        expect_status(expect_ending(run, "limit", limit="wall", exit_code=None), 124)
        assert run.receipt["usage"]["wall_us"] < 10_000_000, run.receipt["usage"]


def test_no_other_language_is_interrupted(hood):
    run = hood.shell("trap 'echo caught' INT; echo out; while :; do sleep 0.01; done", options=["--limit", "wall_ms=300ms"])
    expect_status(expect_ending(run, "limit", limit="wall"), 124)
    assert run.out == b"out\n", run


def test_an_evaluation_keeps_it_too(hood):
    task = hood.file("t.jsonl", json.dumps({"id": "t", "prompt": "", "stdin": "", "expect": "partial\n"}))
    answer = hood.file("c.jsonl", json.dumps({"task_id": "t", "solution": HOLDS_BACK % ENDLESS["spins"]}))
    hood.call("eval", task, "--candidates", answer, "--limit", "wall_ms=2s", "--out", hood.folder / "out")
    assert [row["verdict"] for row in results_of(hood.folder / "out")] == ["timeout"]
    receipts = [json.loads(line) for line in (hood.folder / "out" / "receipts.jsonl").read_text().splitlines()]
    assert receipts[0]["stdout"]["text"] == "partial\n", receipts[0]["stdout"]


LATE = {
    "returns": "import time\ndef solution(x):\n    try: time.sleep(60)\n    except KeyboardInterrupt: return x",
    "returns in zygotes and slots, too": "def solution(x):\n    try:\n        while True: pass\n    except KeyboardInterrupt: return x",
    "without its channel": "import os, time\nos.close(3)\ndef solution(x):\n    try: time.sleep(60)\n    except KeyboardInterrupt: return x",
    "is told of it by a handler": "import signal, time\nclass Late(Exception): pass\ndef late(*_): raise Late\nsignal.signal(signal.SIGINT, late)\n"
                                  "def solution(x):\n    try: time.sleep(60)\n    except Late: return x",
}


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_who_answers_when_it_is_interrupted_is_too_late(hood, cage):
    """The last word is for what was held back: the right value, returned because of the interrupt, is no answer."""
    tasks = [{"id": f"t{i}", "cases": [{"name": "c", "input": 7, "expect": 7}]} for i in range(len(LATE))]
    rows = [{"task_id": f"t{i}", "solution": source} for i, source in enumerate(LATE.values())]
    hood.call("eval", hood.file("t.jsonl", "\n".join(map(json.dumps, tasks))), "--candidates",
              hood.file("c.jsonl", "\n".join(map(json.dumps, rows))), "--cage", cage, "--limit", "wall_ms=400ms", "--out", hood.folder / "out")
    assert [row["verdict"] for row in results_of(hood.folder / "out")] == ["timeout"] * len(LATE)


# ---------------------------------------------------------------- what limited a run is looked at when it is over

def below(pid):
    """All processes that a process has started, with their parents."""
    for task in pathlib.Path("/proc/%d/task" % pid).glob("*/children"):
        for child in task.read_text().split():
            yield int(child), pid
            yield from below(int(child))


def guest_of(process, of_zygote=False):
    """The host pid of a Python guest: a fork of another Python, or none."""
    try:
        found = dict(below(process.pid))
        pythons = {pid for pid in found if pathlib.Path("/proc/%d/comm" % pid).read_text().startswith("python")}
        return next((pid for pid in sorted(pythons) if (found[pid] in pythons) == of_zygote), None)
    except OSError:
        return None


def group_file(pid, controller, v1_name, v2_name):
    """The file of a limit, in the group that a process is in."""
    for line in pathlib.Path("/proc/%d/cgroup" % pid).read_text().splitlines():
        number, names, path = line.split(":", 2)
        if controller in names.split(","):
            return pathlib.Path("/sys/fs/cgroup/" + controller + path) / v1_name
        if number == "0" and names == "" and not os.path.isdir("/sys/fs/cgroup/" + controller):
            return pathlib.Path("/sys/fs/cgroup" + path) / v2_name
    pytest.skip("no group of %s" % controller)


CHANGES = {
    "memory_bytes": ("memory", "memory.limit_in_bytes", "memory.max", "300M"),
    "processes": ("pids", "pids.max", "pids.max", "max"),
    "cpus": ("cpu", "cpu.cfs_quota_us", "cpu.max", "-1"),
}


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
@pytest.mark.parametrize("key", sorted(CHANGES))
def test_a_limit_that_others_change_makes_the_run_lost(hood, cage, key):
    """Whatever it came to: nobody knows what it would have come to, and the limit is not claimed."""
    need(is_root(), "needs root: the files of another's group")
    need_groups()
    process = hood.start(hood.program("import time\nprint('up', flush=True)\ntime.sleep(1.5)\n", "py"), options=["--cage", cage])
    assert process.stdout.readline() == b"up\n"
    controller, v1_name, v2_name, value = CHANGES[key]
    found = group_file(wait_until(lambda: guest_of(process, cage == "zygote"), 5), controller, v1_name, v2_name)
    found.write_text("max" if found.name == v2_name and value == "-1" else value)
    run = expect_status(finish(process), 125)
    expect_ending(run, "lost")
    assert key in run.ending["detail"], run.ending
    assert run.receipt["limits"][key]["enforced_by"] == "none"
    if cage != "fresh":
        assert run.receipt["teardown"]["slot"]["state"] == "dropped", run.receipt["teardown"]


def test_eval_repeats_a_run_that_is_lost(hood):
    need(is_root(), "needs root: the files of another's group")
    need_groups()
    tasks = hood.file("tasks.json", json.dumps([{"id": "t", "prompt": "", "stdin": "", "expect": "end"}]))
    hood.file("candidates/t.py", "import time\ntime.sleep(2)  # %s\nprint('end')\n" % hood.nonce)
    process = subprocess.Popen(hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--fresh"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    guest = wait_until(lambda: guest_of(process), 10)
    group_file(guest, *CHANGES["processes"][:3]).write_text("max")
    process.communicate(timeout=30)
    assert process.returncode == 0
    endings = [json.loads(line)["ending"]["kind"] for line in (hood.folder / "out" / "receipts.jsonl").read_text().splitlines()]
    assert endings[-1] == "exited" and endings[:-1] in ([], ["lost"]), endings
    assert summary_of(hood.folder / "out")["passed"] == 1
