"""Python that stands ready is Python: the same programs come to the same as a fork of a zygote and started anew.

docs/zygote.md says what is not the same, and which programs are started anew for that.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

import pytest

from hood import *
from zygote_programs import P, rows

ZYGOTE = ["--cage", "zygote"]
COUNTED = {"limited/wall-threads", "limited/fork-bomb"}  # how often something is denied there is chance


def masked(data):
    return re.sub(rb"0x[0-9a-f]{6,}", b"0x", data)


def signature(run, name):
    """All of a run that must not depend on how it was started."""
    receipt = run.receipt
    in_time = receipt["ending"]["limit"] not in ("wall", "cpu", "idle")  # else how far an interrupted one gets is chance
    denials = [(row["class"], row["what"], None if name in COUNTED else row["count"]) for row in receipt["denials"]]
    return {
        "status": run.status, "stdout": masked(run.out), "stderr": in_time and masked(run.err), "ending": receipt["ending"],
        "denials": sorted(denials), "protections": receipt["protections"], "limits": {key: dict(limit, hits=limit.get("hits", 0) > 0) for key, limit in receipt["limits"].items()},
        "truncated": [receipt[stream]["truncated"] for stream in ("stdout", "stderr")],
    }


def both(hood, name, row):
    program = hood.program(row.source, "py")
    options = row.options if any("wall_ms" in word for word in row.options) else ["--limit", "wall_ms=10s", *row.options]
    if row.policy:
        options = ["--policy", hood.policy("policy.yaml", row.policy), *options]
    return [hood.run(program, row.args, ["--cage", cage, *options], stdin=row.stdin) for cage in ("fresh", "zygote")]


def expect_used(run, cold=None):
    said = run.receipt["zygote"]
    assert said["used"] == (cold is None), said
    if cold is None:
        assert said["why"] is None and said["weaker"], said
    else:
        assert said["why"].startswith(cold) and said["weaker"] == [], said
    return run


@pytest.mark.parametrize("name, row", [pytest.param(name, row, id=name) for name, row in rows()])
def test_a_program_does_the_same(hood, name, row):
    if name.startswith("limited/"):
        need_groups()
    fresh, forked = both(hood, name, row)
    assert "zygote" not in fresh.receipt
    expect_used(forked, row.cold)
    expect_whole_receipt(forked.receipt)
    assert signature(forked, name) == signature(fresh, name)


# ---------------------------------------------------------------- what a fork has of those around it

def sees(hood, source, *args, **more):
    return expect_used(expect_ending(hood.python(source, *args, options=ZYGOTE, **more), "exited", exit_code=0))


MEMORY = """
import os, sys
def regions():
    for line in open('/proc/' + 'self/maps'):
        where, rights, _, _, _, *name = line.split()
        yield *(int(word, 16) for word in where.split('-')), rights, (name or [''])[0]
def holds(first, second):  # where one follows the other: the whole word is not among what this program has itself
    memory, found = open('/proc/' + 'self/mem', 'rb', 0), 0
    for low, high, rights, name in regions():
        try:
            memory.seek(low)
            parts = memory.read(high - low).split(first)
        except (OSError, ValueError, OverflowError):
            continue
        found += sum(part.startswith(second) for part in parts[1:])
    return found
"""


def test_nothing_of_the_machine_is_in_its_memory(hood):
    """Such as where its control groups lie, or the environment of who started it."""
    pairs = ["/sys/fs/", "cgroup", "canary-of-", "the-starter", "FUMEHOOD_", "CANARY"]
    run = sees(hood, MEMORY + "words = [os.fsencode(word) for word in sys.argv[1:]]\nprint([holds(*words[i:i+2]) for i in range(0, len(words), 2)])", *pairs,
               env=dict(os.environ, FUMEHOOD_CANARY="canary-of-the-starter"))
    assert run.text == "[0, 0, 0]\n", run
    run = sees(hood, MEMORY + "x = os.fsdecode(b'found-' + sys.argv[1].encode())\nprint(holds(b'found-', sys.argv[1].encode()) > 0)", "itself")
    assert run.text == "True\n", run


def test_no_memory_of_it_is_shared(hood):
    """But for files of the machine that nobody in a cage can change."""
    run = sees(hood, MEMORY + "print([(rights, name) for _, _, rights, name in regions() if rights[3] == 's'])")
    assert all(rights == "r--s" and name.startswith("/usr/") for rights, name in eval(run.text)), run


def test_it_has_three_descriptors(hood):
    run = sees(hood, "import os\nprint([fd for fd in range(1100) if not os.closerange(5000, 5001) and os.path.exists('/proc/' + 'self/fd/%d' % fd)])")
    assert run.text == "[0, 1, 2]\n", run


def test_it_sees_itself_and_the_first_process_only(hood):
    run = sees(hood, """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print([pid for pid in range(1, 3000) if libc.kill(pid, 0) == 0 or ctypes.get_errno() != 3 and os.path.exists('/proc/%d' % pid)])
print(getattr(os, 'getp' + 'pid')())
for pid in range(0, 40):
    if pid == os.getpid():
        continue
    fd = libc.syscall(434, pid, 0)
    if fd >= 0 and pid != 1:
        print('a descriptor of', pid)
    if libc.syscall(438, fd, 3, 0) >= 0:
        print('a descriptor from', pid)
    if libc.ptrace(16, pid, 0, 0) == 0:
        print('traced', pid)
data = ctypes.create_string_buffer(8)
class Part(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
part = Part(ctypes.addressof(data), 8)
for pid in (0, 1):
    for call in (310, 311):
        if libc.syscall(call, pid, ctypes.byref(part), 1, ctypes.byref(part), 1, 0) >= 0:
            print('memory of', pid)
""")
    assert run.text.splitlines()[1:] == ["0"], run
    assert os.path.basename(run.text.splitlines()[0]) in ("[2]", "[1, 2]"), run


# ---------------------------------------------------------------- many runs of one zygote

def replies(hood, programs, options=()):
    """Receipts of programs in one worker, whose two zygotes fork them in turn."""
    tasks = [{"id": "t%02d" % i, "prompt": "p", "stdin": "", "expect": "what nobody prints"} for i in range(len(programs))]
    for i, source in enumerate(programs):
        hood.file("candidates/t%02d.py" % i, source)
    out = hood.folder / "out"
    run = hood.call("eval", hood.file("tasks.json", json.dumps(tasks)), "--candidates", hood.folder / "candidates", "--out", out, "--jobs", "1", *options)
    assert run.status in (0, 1), run
    return [json.loads(line) for line in (out / "receipts.jsonl").read_text().splitlines()]


def texts(receipts):
    return [receipt["stdout"]["text"] for receipt in receipts]


def by_slot(receipts):
    """The first and the third, and so on, are forks of one zygote."""
    assert all(receipt["zygote"]["used"] for receipt in receipts), [receipt["zygote"] for receipt in receipts]
    return texts(receipts)[::2], texts(receipts)[1::2]


def test_random_numbers_differ_between_forks(hood):
    source = """
import os, random, secrets, tempfile, uuid
print(random.random(), random.Random().random(), random.SystemRandom().random(), secrets.token_hex(8), uuid.uuid4(), uuid.uuid1(), os.urandom(4), tempfile.mktemp(),
      random.getstate()[1][:2], sep='\\n')
"""
    found = [text.splitlines() for text in texts(replies(hood, [source + "# %d" % i for i in range(8)]))]
    for values in zip(*found):
        assert len(set(values)) == 8, values


def test_hash_seeds_are_as_the_receipt_says(hood):
    """Where a policy leaves them to chance: the same in all forks of one zygote, and of no two."""
    chance = hood.policy("chance.yaml", "environment:\n  PYTHONHASHSEED: random\n")
    receipts = replies(hood, ["print(hash('a'))  # %d" % i for i in range(6)], ["--policy", chance])
    first, second = by_slot(receipts)
    assert len(set(first)) == len(set(second)) == 1 and first[0] != second[0]
    assert all(receipt["zygote"]["weaker"] for receipt in receipts)


LEAVES = """
import builtins, gc, json, os, random, re, string, sys, threading, signal
string.left = json.left = builtins.left = 'left by one before'
random.seed(5); sys.setrecursionlimit(77); os.environ['LEFT'] = '1'; sys.path.append('/left'); os.chdir('/tmp'); os.umask(0)
json.dumps = lambda *a: 'changed'
open('/tmp/left', 'w').write('x'); open('/work/left', 'w').write('x')
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
threading.Thread(target=threading.Event().wait, daemon=True).start()
if os.fork() == 0:
    os.setsid()
    while True: signal.pause()
print('done')
"""
FINDS = """
import builtins, json, os, random, string, sys, threading, signal
print([hasattr(m, 'left') for m in (string, json, builtins)], json.dumps(1), sys.getrecursionlimit(), 'LEFT' in os.environ, '/left' in sys.path, os.getcwd(),
      os.umask(0), os.listdir('/tmp'), 'left' in os.listdir('/work'), signal.getsignal(signal.SIGUSR1), threading.active_count(), [p for p in os.listdir('/proc') if p.isdigit()])
"""


def test_nothing_of_one_run_is_in_the_next(hood):
    alone = sees(hood, FINDS).text
    receipts = replies(hood, [part + "# %d" % i for i in range(3) for part in (LEAVES, LEAVES + "#", FINDS, FINDS + "#")])
    for i in range(0, 12, 4):
        assert texts(receipts)[i:i + 4] == ["done\n", "done\n", alone, alone], texts(receipts)


def test_no_memory_of_one_run_is_in_the_next(hood):
    """Its bytes, what it was given, and what it said."""
    keeps = "x = 'secret-' + 'of-the-' * 1000 + 'first'\nprint(x[:3])\n# secret-of-the-first"
    looks = MEMORY + "print(holds(b'secret-', b'of-the-first'), holds(b'of-the-of-', b'the-of-the'))"
    receipts = replies(hood, [keeps, keeps + "#", looks, looks + "#"])
    assert texts(receipts)[2:] == ["0 0\n", "0 0\n"], texts(receipts)


def test_forks_and_others_take_turns(hood):
    """What stood ready for a program of the other kind leaves no trace: not even in the number of its process."""
    shows = "import os\nprint([int(p) for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())], os.getpid(), %d)"
    kinds = [kind == "f" for kind in "fffccccffcfcfffcffcccfff" * 4]
    receipts = replies(hood, [shows % i + ("" if fork else "# getppid") for i, fork in enumerate(kinds)])
    assert [receipt["zygote"]["used"] for receipt in receipts] == kinds
    for i, receipt in enumerate(receipts):
        expect_protected(receipt)
        assert receipt["stdout"]["text"] == "[] 2 %d\n" % i, receipt


def test_whatever_ends_a_fork_at_once_all_that_it_was_promised_is_in_its_receipt(hood):
    receipts = replies(hood, ["while True: print('y' * 1000)  # %d" % i for i in range(60)], options=["--limit", "stdout_bytes=10KiB"])
    for receipt in receipts:
        expect_protected(receipt)
        assert receipt["zygote"]["used"] and receipt["ending"]["limit"] == "output", receipt["ending"]


def test_zygotes_that_do_not_last_are_done_without_for_a_while(hood):
    """A new one for each run would take longer than none. Programs that come later may be others."""
    hogs = "print(1, flush=True)\nx = []\nwhile True:\n    x.append(bytearray(1 << 20))\n# %d"
    receipts = replies(hood, [hogs % i for i in range(24)] + ["print(1)  # %d" % i for i in range(80)], options=["--limit", "memory_bytes=64MiB"])
    if all(receipt["teardown"]["slot"]["state"] == "clean" for receipt in receipts):
        pytest.skip("control groups v2: a run that used up its memory leaves its keeper alive, and no slot is dropped")
    assert set(texts(receipts)) == {"1\n"}
    used = [receipt["zygote"]["used"] for receipt in receipts]
    assert 4 <= sum(used[:24]) < 16 and all(used[-8:]), used
    for receipt in receipts:
        if not receipt["zygote"]["used"]:
            assert receipt["zygote"]["why"] == "slots are dropped here after too few runs", receipt["zygote"]


def test_functions_are_called_in_forks(hood):
    """The candidate is a file beside the program there, and looked at in the same way."""
    bodies = ["return x + 1", "import sys; return len(sys.modules) * 0 + x + 1", "return x", "raise ValueError(x)", "import os; os._exit(3)"]
    tasks = [{"id": "t%d" % i, "prompt": "p", "entry_point": "solution", "cases": [{"name": "a", "input": 1, "expect": 2}, {"name": "b", "input": -1, "expect": 0}]}
             for i in range(len(bodies))]
    for i, body in enumerate(bodies):
        hood.file("candidates/t%d.py" % i, "def solution(x):\n    " + body + "\n")
    found = {}
    for cage in ("fresh", "zygote"):
        out = hood.folder / cage
        assert hood.call("eval", hood.file("tasks.json", json.dumps(tasks)), "--candidates", hood.folder / "candidates", "--out", out, "--cage", cage).status in (0, 1)
        results = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
        found[cage] = sorted((result["task_id"], result["verdict"], json.dumps(result.get("cases"))) for result in results)
    assert found["fresh"] == found["zygote"]
    for line in (hood.folder / "zygote/receipts.jsonl").read_text().splitlines():
        receipt = json.loads(line)
        is_cold = receipt["eval"]["task_id"] == "t1"
        assert receipt["zygote"]["used"] != is_cold and (not is_cold or receipt["zygote"]["why"] == 'candidate.py has the word "sys.modules"'), receipt["zygote"]


@pytest.mark.parametrize("source, inputs", [
    ("import string\nprint(string.__file__, string.x)", {"string.py": "x = 1"}),
    ("import json\nprint(json.__file__, json.x)", {"json/__init__.py": "x = 1"}),
    ("import statistics\nprint(statistics.__file__)", {"random.py": "x = 1"}),
    ("import string\nprint(string.__file__, 'other' in dir())", {"other.py": "x = 1"}),
    ("import typing, re, json\nprint(typing.List[int], re.match('a', 'a'), json.loads('[1]'), json.decoder)", {"heapq.py": "x = 1"}),
])
def test_modules_beside_the_program_come_first(hood, source, inputs):
    options = [word for path, text in inputs.items() for word in ("--input", "%s:%s" % (hood.file(path, text), path))]
    program = hood.program(source, "py")
    fresh, forked = (hood.run(program, options=["--cage", cage, *options]) for cage in ("fresh", "zygote"))
    expect_used(forked)
    assert signature(forked, "") == signature(fresh, ""), forked
    program = hood.file("random.py", "import random\nprint(random.__file__)\nrandom.seed(1)\n")
    fresh, forked = (hood.run(program, options=["--cage", cage]) for cage in ("fresh", "zygote"))
    assert fresh.status == 1 and signature(forked, "") == signature(fresh, ""), forked


def test_a_stack_of_threads_is_not_the_starters(hood):
    """The C library settles its size when the interpreter starts."""
    source = "import threading\ndef f(n): return n and max([n], key=lambda _: f(n - 1))\nt = threading.Thread(target=f, args=(300,))\nt.start()\nt.join()\nprint('whole')"
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, hard))
    try:
        run = hood.run(hood.program(source, "py"), options=ZYGOTE)
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    assert expect_used(expect_ending(run, "exited", exit_code=0)).text == "whole\n"


def test_without_groups_processor_time_is_counted_all_the_same(user_hood):
    options = [*ZYGOTE, "--policy", "if-available", "--limit", "cpu_ms_if_available=1s"]
    run = user_hood.run(user_hood.program("while True: pass", "py"), options=options)
    expect_ending(expect_used(run), "limit", limit="cpu")
    assert run.receipt["usage"]["cpu_us"] > 800000, run.receipt["usage"]
    run = user_hood.run(user_hood.program("import time\nend = time.process_time() + .4\nwhile time.process_time() < end: pass", "py"), options=options)
    assert expect_used(expect_ending(run, "exited", exit_code=0)).receipt["usage"]["cpu_us"] > 300000, run.receipt["usage"]


def test_the_clock_of_a_fork_begins_with_its_program(hood):
    """Not when it was made, which is while the one before runs."""
    sleeps = "import time\ntime.sleep(.7)\nprint('%d')"
    receipts = replies(hood, [sleeps % i for i in range(6)], options=["--limit", "wall_ms=1200ms"])
    assert texts(receipts) == ["%d\n" % i for i in range(6)], receipts
    assert all(receipt["zygote"]["used"] and 600000 < receipt["usage"]["wall_us"] < 1200000 for receipt in receipts), receipts


HARMS = [
    "import os\nos.kill(os.getpid(), 9)",
    "import ctypes\nctypes.string_at(0)",
    "import os\nos._exit(3)",
    "x = []\nwhile True: x.append(bytearray(10**7))",
    "while True: pass",
    "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
    "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "import os\nos.kill(-1, 9)",
    "import os\nos.closerange(0, 1000)\nos.abort()",
    "import fcntl\nf = open('/usr/bin/python3')\nfcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\nwhile True: pass",
    "import ctypes\nlibc = ctypes.CDLL(None)\nfor n in range(1000): libc.unshare(0x10000000)\nraise SystemExit(1)",
    "import threading\nwhile True:\n  try: threading.Thread(target=threading.Event().wait, daemon=True).start()\n  except RuntimeError: pass",
]


@pytest.mark.parametrize("number", range(len(HARMS)))
def test_whatever_a_fork_does_the_next_is_whole(hood, number):
    need_groups()
    good = "print('whole')"
    options = ["--limit", "wall_ms=700ms", "--limit", "memory_bytes=96MiB", "--limit", "processes=16"]
    receipts = replies(hood, [HARMS[number], HARMS[number] + "\n", good, good + "#", good + "##"], options=options)
    assert texts(receipts)[2:] == ["whole\n"] * 3
    for receipt in receipts:
        expect_whole_receipt(receipt)
        expect_protected(receipt)
    assert all(receipt["zygote"]["used"] for receipt in receipts), receipts


# ---------------------------------------------------------------- somebody kills or stops what belongs to it

def children(pid):
    try:
        return [int(word) for word in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]
    except OSError:
        return []


def family(supervisor):
    """Keeper, zygote, first process and guest of the run that is going on."""
    for keeper in children(supervisor):
        for zygote in children(keeper):
            guests = children(zygote)
            others = [pid for pid in children(keeper) if pid != zygote]
            if guests and others and status_field(zygote, "Name").startswith("python"):
                return {"keeper": keeper, "zygote": zygote, "first": others[0], "guest": guests[0]}
    return None


def start(hood, source="import time\nprint('up', flush=True)\ntime.sleep(20)", options=()):
    process = hood.start(hood.program(source, "py"), options=[*ZYGOTE, *options])
    assert process.stdout.readline() == b"up\n", finish(process)
    return process, wait_until(lambda: family(process.pid), 5)


@pytest.mark.parametrize("who", ["keeper", "zygote", "first"])
def test_a_killed_one_of_them_is_no_program_that_ended(hood, who):
    process, pids = start(hood)
    os.kill(pids[who], signal.SIGKILL)
    run = finish(process, 20)
    expect_ending(expect_status(run, 125), "lost")
    assert run.receipt["stdout"]["text"] == "up\n" and run.seconds < 8
    assert who == "first" or run.receipt["teardown"]["slot"]["state"] == "dropped", run.receipt["teardown"]
    assert wait_until(lambda: not any(os.path.exists("/proc/%d" % pid) for pid in pids.values()), 5)


def test_a_killed_guest_is_a_killed_program(hood):
    process, pids = start(hood)
    os.kill(pids["guest"], signal.SIGKILL)
    expect_ending(expect_status(finish(process, 20), 137), "signaled", signal=signal.SIGKILL)


@pytest.mark.parametrize("who", ["zygote", "first"])
def test_a_stopped_one_of_them_does_not_outlast_the_limit(hood, who):
    process, pids = start(hood, options=["--limit", "wall_ms=1s"])
    os.kill(pids[who], signal.SIGSTOP)
    wait_until(lambda: not os.path.exists("/proc/%d" % pids["guest"]) or status_field_or_none(pids["guest"], "State").startswith("Z"), 5)
    assert not os.path.exists("/proc/%d" % pids["guest"]) or status_field_or_none(pids["guest"], "State").startswith("Z")
    run = finish(process, 90)
    assert run.ending["kind"] == "lost" or run.ending["limit"] == "wall", run
    assert wait_until(lambda: not any(os.path.exists("/proc/%d" % pid) for pid in pids.values()), 15)


def test_a_killed_supervisor_leaves_none_of_them(hood):
    groups = own_cgroups()
    process, pids = start(hood)
    process.kill()
    process.communicate(timeout=20)
    assert wait_until(lambda: not any(os.path.exists("/proc/%d" % pid) for pid in pids.values()), 5)
    expect_next_start_clears(hood, groups)


@pytest.mark.parametrize("round", range(8))
def test_a_supervisor_killed_at_any_moment_leaves_nothing(hood, round):
    groups = own_cgroups()
    process = hood.start(hood.program("import time\ntime.sleep(20)", "py"), options=ZYGOTE)
    wait_until(lambda: False, 0.004 * (round + 1), 0.001)
    below = [pid for pid in children(process.pid) for pid in [pid, *children(pid)]]
    process.kill()
    process.communicate(timeout=20)
    assert wait_until(lambda: not any(os.path.exists("/proc/%d" % pid) for pid in below), 5)
    expect_next_start_clears(hood, groups)


def test_a_zygote_that_is_killed_between_runs_is_replaced(hood):
    """The run that it was to fork ends as an error of the machine, or is done by the next; none ends otherwise."""
    count = 120
    tasks = hood.file("tasks.json", json.dumps([{"id": "t%03d" % i, "prompt": "p", "stdin": "", "expect": "x\n"} for i in range(count)]))
    for i in range(count):
        hood.file("candidates/t%03d.py" % i, "import time\ntime.sleep(.02)\nprint('x')  # %d" % i)
    process = subprocess.Popen(hood.command("eval", tasks, "--candidates", hood.folder / "candidates", "--out", hood.folder / "out", "--jobs", "1"),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # One that dies while it starts is one that does not start here: none is killed before it has served, however slow it is.
    killed, served = 0, set()
    while process.poll() is None:
        zygotes = [pid for worker in children(process.pid) for keeper in children(worker) for pid in children(keeper)
                   if (status_field_or_none(pid, "Name") or "").startswith("python")]
        served |= {pid for pid in zygotes if children(pid)}
        idle = [pid for pid in zygotes if pid in served and not children(pid)]
        if idle and killed < 4:
            os.kill(idle[killed % len(idle)], signal.SIGKILL)
            killed += 1
            wait_until(lambda: process.poll() is not None, 0.15)
        time.sleep(0.002)
    process.communicate()
    assert killed >= 2
    receipts = [json.loads(line) for line in (hood.folder / "out/receipts.jsonl").read_text().splitlines()]
    kinds = [receipt["ending"]["kind"] for receipt in receipts]
    assert kinds.count("exited") >= count - 2 * killed and set(kinds) <= {"exited", "setup-error", "signaled", "lost"}, kinds
    for receipt in receipts:
        if receipt["ending"]["kind"] == "exited":
            expect_protected(receipt)
            assert receipt["stdout"]["text"] == "x\n" and receipt["ending"]["exit_code"] == 0, receipt
    assert receipts[-1]["zygote"]["used"], receipts[-1]["zygote"]


def status_field_or_none(pid, field):
    try:
        return status_field(pid, field)
    except OSError:
        return None


# ---------------------------------------------------------------- another interpreter than it was made for

def over(hood, place, made):
    """fumehood where something else is at a place, in a mount table of its own."""
    need(is_root(), "not root: nothing can be mounted over the interpreter")
    need(shutil.which("unshare"), "unshare is not installed")
    hood.folder.chmod(0o755)
    prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"", str(made), str(place)]
    return Hood(hood.folder, hood.nonce, prefix=prefix, as_is=True)


INTERPRETER = os.path.realpath("/usr/bin/python3")
ODD = {
    "a script": "#!/bin/sh\nexec /bin/echo \"not python\"\n",
    "a script that fails": "#!/bin/sh\nexit 3\n",
    "no program": "nothing\n",
    "nothing": "",
    "another program": pathlib.Path("/bin/cat").read_bytes(),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_interpreter_is_started_cold(hood, what):
    other = over(hood, INTERPRETER, hood.file("over", ODD[what], 0o755))
    fresh, run = [other.python("print(1)", options=["--cage", cage]) for cage in ("fresh", "zygote")]
    assert (fresh.status, fresh.out, fresh.ending["kind"]) == (run.status, run.out, run.ending["kind"]), (fresh, run)
    expect_used(run, "it does not start here")


SITE = {
    "prints": "print('at start')\n",
    "says": "import sys\nsys.stderr.write('at start\\n')\n",
    "threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\n",
    "raises": "1/0\n",
    "exits": "import os\nos._exit(5)\n",
}


@pytest.mark.parametrize("what", SITE)
def test_an_interpreter_that_does_something_at_its_start_is_started_cold(hood, what):
    place = pathlib.Path("/usr/lib/python3/dist-packages")
    need(place.is_dir(), "this interpreter has no folder of packages to put another over")
    made = hood.file("packages/at_start.pth", "import sys; exec(%r)\n" % SITE[what])
    made.parent.chmod(0o755)
    other = over(hood, place, made.parent)
    program = other.program("import threading\nprint('program')", "py")
    fresh, run = [other.run(program, options=["--cage", cage]) for cage in ("fresh", "zygote")]
    assert (fresh.status, masked(fresh.out), masked(fresh.err)) == (run.status, masked(run.out), masked(run.err)), (fresh, run)
    expect_used(run, "it does not start here" + (": it prints or has threads" if what in ("prints", "says", "threads") else ""))
