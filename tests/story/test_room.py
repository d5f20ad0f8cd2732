"""How much room a run may take in what is kept of it: receipts, what the library gives, a folder of results."""
import base64
import json

import pytest

from hood import *
from test_eval import receipts_of

STREAMS = {  # what is written, and whether a receipt has it as text
    "control characters": ("b'\\x01' * N", False),
    "escape": ("b'\\x1b' * N", False),
    "delete": ("b'\\x7f' * N", False),
    "of the second hundred": ("b'\\xc2\\x9b' * (N // 2)", False),
    "no text": ("b'\\xff' * N", False),
    "both": ("b'\\x01\\xff' * (N // 2)", False),
    "nul": ("bytes(N)", False),
    "quotes": ("b'\"' * N", True),
    "short lines": ("b'7\\n' * (N // 2)", True),
    "letters": ("'\\u00e9'.encode() * (N // 2)", True),
    "colours": ("(b'\\x1b[31mred and more\\x1b[0m\\n' * N)[:N]", True),
    "snakes": ("'\\U0001f40d'.encode() * (N // 4)", True),
}
N = 2 << 20
LIMITS = ["--limit", "stdout_bytes=4MiB", "--limit", "stderr_bytes=4MiB", "--limit", "memory_bytes_if_available=512MiB"]


def expect_stream(stream, data, as_text):
    assert (stream["bytes"], stream["kept_bytes"], stream["truncated"]) == (len(data), len(data), False)
    assert stream["utf8"] is as_text and ("base64" in stream) is not as_text
    if as_text:
        assert stream["text"].encode() == data and "text_bytes" not in stream
    else:
        assert base64.b64decode(stream["base64"]) == data
        assert stream["text"] == data[:stream["text_bytes"]].decode(errors="replace") and len(json.dumps(stream["text"], ensure_ascii=False).encode()) <= 65538


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("way", ["file", "json"])
def test_a_receipt_takes_little_more_room_than_the_bytes(hood, kind, way):
    expression, as_text = STREAMS[kind]
    data = eval(expression, {"N": N})
    program = hood.program("import os\nN = %d\ndata = %s\nfor fd in (1, 2):\n    at = 0\n    while at < len(data): at += os.write(fd, data[at:at + 65536])"
                           % (N, expression), "py")
    receipt = hood.folder / "r.json"
    if way == "file":
        expect_status(hood.call("run", *LIMITS, "--receipt", receipt, program), 0)
        text = receipt.read_bytes()
    else:
        text = expect_status(hood.call("run", *LIMITS, "--json", program), 0).out
    assert len(text) < (2 if as_text else 4 / 3) * 2 * N + (160 << 10), len(text)
    value = json.loads(text)
    for name in ("stdout", "stderr"):
        expect_stream(value[name], data, as_text)
    if way == "file":
        expect_status(hood.call("receipt", "verify", receipt), 0)
        expect_status(hood.call("receipt", "show", receipt), 0)


def test_a_short_text_is_a_text(hood):
    """Whatever it has in it, as long as it is UTF-8."""
    run = hood.python("import os\nos.write(1, b'\\x1b[1m\\x00\\x07' * 100)")
    stream = run.receipt["stdout"]
    assert stream["utf8"] is True and stream["text"] == "\x1b[1m\x00\x07" * 100 and "base64" not in stream


@pytest.fixture
def loud(hood):
    """Candidates that write as much as they may, in the forms that take the most room."""
    tasks = [{"id": "t%d" % n, "stdin": "", "expect": "x\n"} for n in range(4)] + [{"id": "right", "stdin": "", "expect": "y" * 600000 + "\n"}]
    hood.file("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    for n, data in enumerate(["b'\\x01'", "b'\\xff'", "b'\"'", "b'\\x7f'"]):
        hood.file("candidates/t%d.py" % n, "import os\ndata = %s * (1 << 20)\nfor fd in (1, 2):\n    at = 0\n"
                  "    while at < len(data): at += os.write(fd, data[at:at + 65536])\n" % data)
    hood.file("candidates/right.py", "print('y' * 600000)\n")
    return ["eval", hood.folder / "tasks.jsonl", "--candidates", hood.folder / "candidates", "--out", hood.folder / "out"]


def test_a_run_of_an_evaluation_leaves_a_bounded_rest(hood, loud):
    expect_status(hood.call(*loud), 1)
    out = hood.folder / "out"
    lines = (out / "receipts.jsonl").read_text().splitlines()
    assert max(map(len, lines)) < 1200 << 10, [len(line) for line in lines]
    assert sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) < 5 * (1200 << 10)
    for receipt in receipts_of(out):
        for name in ("stdout", "stderr"):
            stream = receipt[name]
            assert stream["kept_bytes"] == min(stream["bytes"], 256 << 10) and stream["truncated"] == (stream["kept_bytes"] < stream["bytes"])
            assert ("base64" in stream) == (stream["utf8"] is False)
    assert {row["task_id"]: row["verdict"] for row in results_of(out)}["right"] == "pass", "what is cut for the receipt was judged whole"
    assert max(map(len, (out / "results.jsonl").read_text().splitlines())) < 4096
    expect_status(hood.call("receipt", "verify", out / "receipts.jsonl"), 0)
