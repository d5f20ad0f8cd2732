"""Python that stands ready is Python: the same programs come to the same as a fork of a zygote and started anew.

docs/zygote.md says what is not the same, and which programs are started anew for that.
"""
import json
import os
import pathlib
import re
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
    denials = [(row["class"], row["what"], None if name in COUNTED else row["count"]) for row in receipt["denials"]]
    return {
        "status": run.status, "stdout": masked(run.out), "stderr": masked(run.err), "ending": receipt["ending"],
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
    """The same in all forks of one zygote, and of no two."""
    receipts = replies(hood, ["print(hash('a'))  # %d" % i for i in range(6)])
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
