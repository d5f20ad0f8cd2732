"""What runs for long, or is under fire, leaves the machine and its own memory as they were."""
import json
import os
import pathlib
import subprocess
import threading
import time


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


# ---------------------------------------------------------------- the worst that a guest can leave, and do

MEMORY, SCRATCH, PROCESSES = 256 << 20, 16 << 20, 160  # smaller than in bench/endure, which also looks at the clock
WORST = {"exit": "exited", "wall": "limit", "storm": "limit"}


def bench_guest(hood, name):
    return hood.compile((REPO / "bench" / (name + ".c")).read_text(), "-static")


@pytest.mark.parametrize("how", WORST)
def test_the_worst_case_is_cleared_away(hood, how):
    """Processes at their limit, fifty of them stopped daemons, the rest spinning or forking; scratch full; memory near
    its limit."""
    need_groups()
    limits = ["memory_bytes=%d" % MEMORY, "scratch_bytes=%d" % SCRATCH, "file_bytes=%d" % SCRATCH, "processes=%d" % PROCESSES,
              "wall_ms=%s" % ("3s" if how == "wall" else "30s")]
    groups = own_cgroups()
    process = hood.start(bench_guest(hood, "worst"), args=[MEMORY - SCRATCH - (40 << 20), how], stdin=subprocess.PIPE,
                         options=[word for limit in limits for word in ("--limit", limit)])
    assert process.stdout.readline() == b"up\n", finish(process)
    assert len(hood.guests()) >= 50
    run = finish(process, 60)
    assert not processes_with(hood.nonce), "alive after the result was returned"
    assert not (dead_cgroups(groups) & own_cgroups()), dead_cgroups(groups)
    expect_ending(run, WORST[how])
    if how != "storm":
        assert run.ending["limit"] == (how if how == "wall" else None)
        assert run.receipt["usage"]["processes_peak"] == PROCESSES
    assert run.receipt["usage"]["scratch_peak_bytes"] >= SCRATCH - (1 << 20)
    assert run.receipt["usage"]["memory_peak_bytes"] >= MEMORY * 3 // 4


def is_sanitized():
    return b"__asan_init" in BINARY.read_bytes()


@pytest.mark.parametrize("observe", ["", "observe: [files, exec]\n"])
def test_a_flood_costs_the_supervisor_little(hood, observe):
    """Denied calls, output and forks as fast as they can be had: the wall limit ends it, and little is remembered."""
    policy = hood.policy("flood.yaml", "output_limit: truncate\n" + observe)
    process = hood.start(bench_guest(hood, "flood"), options=["--policy", policy, "--limit", "wall_ms=3s"],
                         stdout=subprocess.DEVNULL)
    said = []
    reader = threading.Thread(target=lambda: said.append(process.stderr.read()))
    reader.start()  # else it waits for us, as it should
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory_kib(process.pid, "VmHWM") or 0)
        time.sleep(0.02)
    reader.join()
    process.stderr.close()
    run = Run(process.returncode, b"", said[0], process.receipt_path)
    expect_ending(run, "limit", limit="wall")
    assert run.receipt["usage"]["wall_us"] < 30_000_000
    assert sum(row["count"] for row in run.receipt["denials"]) > 1000, run.receipt["denials"]
    assert run.receipt["stdout"]["bytes"] > run.receipt["stdout"]["kept_bytes"]
    assert 0 < peak
    assert peak < 16 << 10 or is_sanitized(), "%d KiB" % peak
