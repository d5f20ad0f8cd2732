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
