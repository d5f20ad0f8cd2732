"""Every system call of a run fails in turn, and every one is the last of its process.

strace makes the call fail, or kills its caller, from outside: nothing is built for this. A point is the n-th call of one
name, in whichever process of the run makes it. All points take a minute and a half for each kind of fault; the tests
take every FUMEHOOD_FAULT_STRIDE-th (default 9), another part for each kind.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import time

import pytest

from hood import *

STRIDE = int(os.environ.get("FUMEHOOD_FAULT_STRIDE", "9"))
# Says what it has: which rights, which filter, which user, and whether the host is there.
PROBE = """#!/bin/sh
while read -r key value; do
    case $key in NoNewPrivs:) new=$value;; Seccomp:) filter=$value;; CapBnd:) bound=$value;; Uid:) user=$value;; esac
done </proc/self/status
[ ! -e /root ] && [ ! -e /sys ] || host=seen
echo "probe $new|$filter|$bound|${user%%	*}|$host"
"""
# What the C library does for itself before and below us: it does not survive these, and says so or not.
OF_THE_LIBRARY = {"brk", "mmap", "mprotect"}


def traced(hood, receipt, *options):
    program = hood.file("probe.sh", PROBE, 0o755)
    words = ["run", "--limit", "wall_ms=3s", "--env", "STORY_NONCE=" + hood.nonce, "--receipt", str(receipt), program]
    return ["strace", "-f", *options, *hood.command(*words)]


def points(hood):
    """(name, n) for all calls that the supervisor and the cage's first process make, and keepers where there are."""
    log, calls, order = hood.folder / "log", collections.defaultdict(collections.Counter), []
    subprocess.run(traced(hood, hood.folder / "r.json", "-o", str(log)), stdin=subprocess.DEVNULL, capture_output=True,
                   check=True)
    for line in log.read_text().splitlines():
        match = re.match(r"(\d+)\s+(\w+)\(", line)
        if match:
            calls[match[1]][match[2]] += 1
            if match[1] not in order:
                order.append(match[1])
    ours = [calls[pid] for pid in order if pid == order[0] or "execve" not in calls[pid]]
    names = sorted(set(ours[0]).union(*ours[1:]) - {"exit_group", "execve"})
    found = [(name, n) for name in names for n in range(1, max(of[name] for of in ours) + 1)]
    # strace fails a call by making it another one, which the filter denies: between filter and exec nobody can answer.
    assert len(found) > 300, "the log of a run is not what it was"
    return [point for point in found if point not in (("clock_gettime", 1), ("clone3", 1))]


def one(hood, point, what):
    receipt = hood.folder / "r.json"
    receipt.unlink(missing_ok=True)
    done = subprocess.run(traced(hood, receipt, "-o", "/dev/null", "-e", "inject=%s:%s:when=%d" % (point[0], what, point[1])),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    try:
        return done, json.loads(receipt.read_text())
    except (OSError, ValueError):
        return done, None


def faults_of(point, done, receipt, missing):
    """What is wrong with how a run took a failing call."""
    name, said = point[0], [line for line in done.stderr.decode().splitlines() if line.startswith("fumehood: ")]
    match = re.search(r"^probe (.*)$", done.stdout.decode(), re.M)
    if match:
        new, filtered, bound, user, host = match[1].split("|")  # an empty field: the guest's own call failed
        if new not in ("1", "") or filtered not in ("2", "") or bound.strip("0") or user not in ("1000", "") or host:
            yield "the guest ran with less: %s" % match[1]
    if receipt:
        has = receipt["protections"]
        lacks = set(has["requested"]) - set(has["achieved"])
        if match and lacks - missing:
            yield "the guest ran without %s" % lacks
        if any(receipt["teardown"][key] for key in receipt["teardown"] if key.endswith("_left")) and name != "rmdir":
            yield "left behind: %s" % receipt["teardown"]
    if name in OF_THE_LIBRARY:
        return
    if done.returncode < 0:
        yield "the supervisor died of %s" % done.returncode
    elif done.returncode == 125 and name != "write" and not said:
        yield "no word of why"


@pytest.mark.parametrize("number, what", enumerate(["EIO", "ENOMEM", "ENOSPC", "EPERM"]))
def test_a_failing_call_is_a_clean_error(hood, strace, number, what):
    wrong = []
    whole = hood.run(hood.file("p.sh", PROBE, 0o755)).receipt
    missing = set(whole["protections"]["requested"]) - set(whole["protections"]["achieved"])
    for point in points(hood)[number::STRIDE]:
        try:
            done, receipt = one(hood, point, "error=" + what)
        except subprocess.TimeoutExpired:
            wrong.append((point, "did not end"))
            continue
        wrong += [(point, fault, done.returncode, done.stderr[:300]) for fault in faults_of(point, done, receipt, missing)]
    assert not wrong, "\n".join(map(str, wrong))


def test_killed_at_any_call_nothing_lives(hood, strace):
    """Whichever process it is that is killed."""
    groups, alive = own_cgroups(), []
    for point in points(hood)[len("kill")::STRIDE]:
        one(hood, point, "signal=KILL")
        if wait_until(lambda: not processes_with(hood.nonce), 5) is not True:
            alive.append((point, processes_with(hood.nonce)))
    assert not alive
    assert hood.run(hood.file("p.sh", PROBE, 0o755)).status == 0  # the next start clears what was left
    expect_next_start_clears(hood, groups)
