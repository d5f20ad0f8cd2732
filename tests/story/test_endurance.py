"""What runs for long, or is under fire, leaves the machine and its own memory as they were."""
import json
import os
import pathlib
import threading

import pytest

from hood import *

PROGRAMS = 1000
QUIET = "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"  # with sanitizers: freed memory is not kept


def quiet_environment():
    return dict(os.environ, ASAN_OPTIONS=":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), QUIET))))


def children_of(pid):
    try:
        return [int(word) for word in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]
    except OSError:
        return []


def memory_kib(pid, field="VmRSS"):
    try:
        return int(status_field(pid, field).split()[0])
    except (OSError, AttributeError):
        return None


def descriptors(pid):
    try:
        return len(os.listdir("/proc/%d/fd" % pid))
    except OSError:
        return None


# ---------------------------------------------------------------- a thousand programs

def test_a_thousand_programs_in_two_workers(hood):
    """Descriptors and memory of parent and workers do not grow; groups and mounts are those from before."""
    tasks = [{"id": "t%d" % n, "prompt": "", "stdin": "%d\n" % n, "expect": "%d\n" % n} for n in range(PROGRAMS)]
    hood.file("tasks.jsonl", "\n".join(map(json.dumps, tasks)))
    for n in range(PROGRAMS):
        hood.file("candidates/t%d.sh" % n, "read -r x; echo $x")
    out, groups, mounts = hood.folder / "out", own_cgroups(), mount_table(hood.folder)
    policy = hood.policy("nonce.yaml", "environment: {STORY_NONCE: %s}\n" % hood.nonce)
    process = subprocess.Popen(hood.command("eval", hood.folder / "tasks.jsonl", "--candidates", hood.folder / "candidates",
                                            "--out", out, "--jobs", "2", "--policy", policy),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=quiet_environment())
    samples, done = {}, 0
    while process.poll() is None:
        results = out / "results.jsonl"
        done = results.read_bytes().count(b"\n") if results.exists() else 0
        workers = children_of(process.pid)
        for pid in [process.pid, *workers]:
            samples.setdefault(pid, []).append((done, memory_kib(pid), descriptors(pid)))
        time.sleep(0.05)
    said = process.stderr.read().decode()
    process.stderr.close()
    assert process.returncode == 0, said
    assert {row["verdict"] for row in results_of(out)} == {"pass"} and len(results_of(out)) == PROGRAMS
    workers = set(samples) - {process.pid}
    assert len(workers) == 2, "workers came and went: %s" % sorted(workers)
    for pid in samples:
        steady = [row for row in samples[pid] if row[0] >= PROGRAMS / 10 and None not in row]
        half = len(steady) // 2
        assert half > 5, "too few looks at %d: %d" % (pid, len(steady))
        for what, column, slack in (("KiB", 1, 512 if pid in workers else 2048), ("descriptors", 2, 16)):
            first, second = (max(row[column] for row in part) for part in (steady[:half], steady[half:]))
            assert second <= first + slack, "process %d: %d %s, later %d" % (pid, first, what, second)
    assert mount_table(hood.folder) == mounts
    assert not left_cgroups(groups)
