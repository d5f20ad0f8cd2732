"""Where files are written: through nothing that another user can have put there."""
import json
import os
import pathlib
import subprocess

import pytest

from hood import *

TASK = json.dumps({"id": "t", "stdin": "", "expect": "x\n"}) + "\n"
OTHER = 65533
VICTIM = "what was there\n"


def need_root():
    need(os.geteuid() == 0, "only root can stage another user's folder")


def evaluation(hood, out, *options):
    hood.file("candidates/t.py", "print('x')\n")
    return ["eval", hood.file("tasks.jsonl", TASK), "--candidates", hood.folder / "candidates", "--out", out, *options]


def folder(hood, name, mode=0o755, owner=None):
    path = hood.folder / name
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    if owner is not None:
        os.chown(path, owner, owner)
    return path


def doors(hood, place):
    """Every command that writes where it is told, and the status of its refusal."""
    program = hood.program("print(1)", "py")
    return {"receipt": (["run", "--receipt", place / "summary.json", program], 2),
            "eval": (evaluation(hood, place), 2),
            "resume": (evaluation(hood, place, "--resume"), 2),
            "below": (evaluation(hood, place / "new"), 2),
            "learn": (["policy", "learn", "--out", place / "summary.json", "--", program], 2)}


@pytest.mark.parametrize("kind", ["another user's", "open to all", "open to a group", "sticky, another user's"])
def test_folders_of_others_get_nothing(hood, kind):
    need_root()
    victim = hood.file("victim", VICTIM)
    mode, owner = {"another user's": (0o755, OTHER), "open to all": (0o777, None), "open to a group": (0o2775, None),
                   "sticky, another user's": (0o1777, OTHER)}[kind]
    place = folder(hood, "place", mode, owner)
    if kind == "open to a group":
        os.chown(place, 0, OTHER)
        place.chmod(0o2775)
    (place / "summary.json").symlink_to(victim)
    for name, (words, status) in doors(hood, place).items():
        line = expect_refusal(hood.call(*words), status, "another user|others may write")
        assert line.endswith(")"), "no remedy: " + line
        assert victim.read_text() == VICTIM and os.listdir(place) == ["summary.json"], name


def test_a_way_that_others_may_exchange(hood):
    need_root()
    place = folder(hood, "his/mine")
    os.chown(hood.folder / "his", OTHER, OTHER)
    (hood.folder / "way").symlink_to(place)
    for words, status in doors(hood, hood.folder / "way").values():
        expect_refusal(hood.call(*words), status, "another user")
    for words, status in doors(hood, place).values():
        expect_refusal(hood.call(*words), status, "another user")
    assert os.listdir(place) == []


def test_own_folders_by_own_links(hood):
    folder(hood, "data", 0o700)
    (hood.folder / "results").symlink_to("data")
    expect_status(hood.call(*evaluation(hood, hood.folder / "results" / "one")), 0)
    expect_status(hood.call(*evaluation(hood, hood.folder / "results" / "one", "--resume")), 0)
    expect_status(hood.call(*evaluation(hood, "results/../two/", ), cwd=hood.folder), 0)
    assert (hood.folder / "data/one/summary.json").exists() and (hood.folder / "two/summary.json").exists()
    (hood.folder / "last").symlink_to("data/receipt.json")
    program = hood.program("print(1)", "py")
    for _ in range(2):
        expect_status(hood.call("run", "--receipt", hood.folder / "last", program), 0)
    assert json.loads((hood.folder / "data/receipt.json").read_text())["program"]["name"] == program.name
    assert (hood.folder / "last").is_symlink() and sorted(os.listdir(hood.folder / "data")) == ["one", "receipt.json"]


def test_in_a_sticky_folder(hood):
    """As /tmp: a file of one's own, but no link or file of another user, and no folder of results."""
    need_root()
    place = folder(hood, "tmp", 0o1777)
    victim = hood.file("victim", VICTIM)
    program = hood.program("print(1)", "py")
    expect_status(hood.call("run", "--receipt", place / "r.json", program), 0)
    expect_status(hood.call(*evaluation(hood, place / "out")), 0)
    expect_refusal(hood.call(*evaluation(hood, place)), 2, "others may write")
    (place / "planted").symlink_to(victim)
    os.chown(place / "planted", OTHER, OTHER, follow_symlinks=False)
    expect_refusal(hood.call("run", "--receipt", place / "planted", program), 2, "is a link that another user")
    expect_refusal(hood.call("policy", "learn", "--out", place / "planted", "--", program), 2, "is a link that another user")
    (place / "his").write_text("his")
    os.chown(place / "his", OTHER, OTHER)
    expect_refusal(hood.call("run", "--receipt", place / "his", program), 2, "is another user's file")
    assert victim.read_text() == VICTIM and (place / "his").read_text() == "his"


def test_what_comes_during_the_run(hood):
    """Planted between the look beforehand and the moment of writing, by whoever had the rights in time."""
    victim = hood.file("victim", VICTIM)
    receipt = folder(hood, "place") / "r.json"
    program = hood.program("import sys\nprint('on', flush=True)\nsys.stdin.read()", "py")
    process = subprocess.Popen(hood.command("run", "--receipt", receipt, program), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"on\n"
    os.link(victim, receipt)
    process.communicate(timeout=30)
    assert victim.read_text() == VICTIM and json.loads(receipt.read_text())["schema"]
    process = subprocess.Popen(hood.command("run", "--receipt", receipt, program), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"on\n"
    receipt.parent.chmod(0o777)
    receipt.unlink()
    receipt.symlink_to(victim)
    said = process.communicate(timeout=30)[1].decode()
    assert process.returncode in (2, 125) and "others may write" in said, (process.returncode, said)
    assert victim.read_text() == VICTIM


@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1", "/dev/null", "/dev/full"])
def test_what_is_no_file(hood, target):
    run = hood.call("run", "--receipt", target, hood.program("print('ran')", "py"))
    expect_refusal(run, 2, "not a regular file", "--json prints the receipt on stdout")


def test_a_pipe_of_the_shell(hood):
    program = hood.program("print('ran')", "py")
    line = " ".join(["%s" % word for word in hood.command("run", "--receipt")])
    done = subprocess.run(["bash", "-c", line + ' >(cat >"$1") "$0"', str(program), str(hood.folder / "got")], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=30)
    assert done.returncode == 2 and b"not a regular file" in done.stderr and done.stdout == b"", done


@pytest.mark.parametrize("name", ["results.jsonl", "receipts.jsonl", "eval.json", "objects"])
@pytest.mark.parametrize("kind", ["link", "fifo", "second name"])
def test_resume_reads_and_writes_only_its_own_files(hood, name, kind):
    """A folder that was open once may hold anything; nothing is read through, and nobody waits for a writer."""
    out = hood.folder / "out"
    expect_status(hood.call(*evaluation(hood, out)), 0)
    path, victim = out / name, hood.folder / "victim"
    path.rename(victim)
    before = None if victim.is_dir() else victim.read_bytes()
    if kind == "link":
        path.symlink_to(victim)
    elif kind == "fifo":
        os.mkfifo(path)
    elif victim.is_dir() or name == "eval.json":
        return  # a folder has no second name, and what is only read may have one
    else:
        os.link(victim, path)
    run = hood.call(*evaluation(hood, out, "--resume"), timeout=30)
    assert run.status in (2, 3), run
    expect_one_line(run, name)
    if before is None:
        assert len(os.listdir(victim)) == 1
    else:
        assert victim.read_bytes() == before


def test_the_default_folder_is_ones_own(hood):
    need_root()
    place = folder(hood, "here")
    folder(hood, "here/fumehood-results", 0o755, OTHER)
    words = [word for word in evaluation(hood, "unused") if word not in ("--out", "unused")]
    expect_refusal(hood.call(*words, cwd=place), 2, "fumehood-results", "belongs to another user")
    assert os.listdir(place / "fumehood-results") == []
