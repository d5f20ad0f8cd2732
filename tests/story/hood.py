"""hood.py - the verbs of the story tests: start fumehood as a person would, and look at it from outside.

Nothing here knows how fumehood works inside. What a test may use: exit statuses, bytes, the receipt's JSON, and what
the kernel shows to anybody: /proc, the control groups' folders, the mount table.
"""
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

REPO = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FUMEHOOD_BIN") or os.environ.get("FUMEHOOD") or REPO / "build/release/fumehood").absolute()
DATA = pathlib.Path(os.environ.get("FUMEHOOD_DATA") or REPO.parent / "shared/data")
EXAMPLES = REPO / "examples"
PYTHON = "/usr/bin/python3"
MUST_WORK = bool(os.environ.get("FUMEHOOD_MUST_WORK"))
CAGE = os.environ.get("FUMEHOOD_CAGE")  # "slot": every `run` that does not say it is in a slot that could serve again
ENDINGS = {"exited", "signaled", "limit", "denied", "cancelled", "setup-error", "lost"}
LIMIT_KEYS = ("wall_ms cpu_ms idle_ms memory_bytes stack_bytes processes open_files file_bytes scratch_bytes scratch_inodes "
              "stdin_bytes stdout_bytes stderr_bytes value_bytes cpus").split()
# A crash goes to a handler of the machine's, unless the limit on its core is exactly 1; without a handler it is 0.
CORE = 1 if pathlib.Path("/proc/sys/kernel/core_pattern").read_text()[:1] in ("|", "@") else 0
VERDICTS = set("pass wrong-answer runtime-error compile-error timeout memory output-limit limit denied exited-early "
               "missing no-code violation task-invalid infra-error skipped".split())


def need(condition, why):
    """Skip loudly where the machine cannot do it; with FUMEHOOD_MUST_WORK a skip is a failure."""
    if not condition:
        pytest.fail("must work here: " + why) if MUST_WORK else pytest.skip(why)


def is_root():
    return os.geteuid() == 0


# ---------------------------------------------------------------- what the kernel shows

def processes_with(nonce):
    """Host pids whose command line or environment holds the nonce, without this test process."""
    wanted, found = nonce.encode(), []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        for name in ("cmdline", "environ"):
            try:
                with open("/proc/%s/%s" % (entry, name), "rb") as file:
                    if wanted in file.read():
                        found.append(int(entry))
                        break
            except OSError:
                pass
    return found


def status_field(pid, field):
    for line in pathlib.Path("/proc/%d/status" % pid).read_text().splitlines():
        if line.startswith(field + ":"):
            return line.split(":", 1)[1].strip()
    return None


def wait_until(condition, seconds, step=0.02):
    """The condition's value as soon as it is true, or its last value after the time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)


def own_places():
    """Where our control groups may be: below the ones that we are in ourselves. On a machine with others
    (FUMEHOOD_SHARED_MACHINE) the top of a hierarchy is theirs as well, so it is not looked at."""
    places = set()
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if path == "/" and os.environ.get("FUMEHOOD_SHARED_MACHINE"):
            continue
        if controllers:
            names = controllers.split(",") + [controllers]
        else:
            names = ["" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "unified"]
        for name in names:
            place = os.path.normpath("/sys/fs/cgroup/%s/%s" % (name.replace("name=", ""), path))
            if os.path.isdir(place):
                places.add(place)
    return places


def own_cgroups():
    """Folders of control groups that carry the program's name, all hierarchies."""
    found = set()
    for place in own_places():
        for top, folders, _ in os.walk(place):
            found |= {os.path.join(top, folder) for folder in folders
                      if "fumehood" in folder and "fumehood-bench" not in folder}
    return found


def cgroup_is_alive(path):
    """True when a process is in it or below it: another run on this machine owns it."""
    for top, _, _ in os.walk(path):
        try:
            with open(os.path.join(top, "cgroup.procs")) as file:
                if file.read().strip():
                    return True
        except OSError:
            pass
    return False


def dead_cgroups(before):
    """Control groups that came since and hold nobody now."""
    return {path for path in own_cgroups() - before
            if os.path.isdir(path) and not cgroup_is_alive(path) and not is_shared_parent(path)}


def numbered(paths):
    """Each with its number: another run on this machine makes and removes groups of the same name."""
    found = set()
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            found.add((path, os.stat(path).st_ino))
    return found


def left_cgroups(before):
    """Those of them that do not go away by themselves."""
    suspects = numbered(dead_cgroups(before))

    def gone():
        suspects.intersection_update(numbered(dead_cgroups(before)))
        return not suspects
    wait_until(gone, 3, 0.1)
    return {path for path, _ in suspects}


def expect_next_start_clears(hood, before):
    """What a killed run left goes at the next start; on a machine with others, at one of the next."""
    def start():
        expect_status(hood.shell("exit 0"), 0)
        return not dead_cgroups(before)
    assert wait_until(start, 15, 0.2), "still there: %s" % dead_cgroups(before)


def is_shared_parent(path):
    """The one folder that all runs share may stay."""
    return os.path.basename(path) == "fumehood"


def mount_table(own_folder):
    """The mounts of this process, without those in folders of other tests that may run beside."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if "/pytest-of-" not in line or str(own_folder) in line]


# ---------------------------------------------------------------- canonical JSON and hashes, made anew

class _Raw(str):
    pass


def canonical(value):
    """Keys sorted, compact, UTF-8; numbers exactly as they were written."""
    if isinstance(value, _Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def load_exact(text):
    return json.loads(text, parse_float=_Raw, parse_int=_Raw)


def receipt_hash(text):
    import hashlib
    value = load_exact(text)
    claimed = value.pop("sha256")
    return claimed, hashlib.sha256(canonical(value).encode()).hexdigest()


# ---------------------------------------------------------------- what this machine grants the tests' user

@functools.lru_cache(maxsize=None)
def has_groups():
    """Can limits be kept that need a control group? Root can nearly always, an ordinary user often cannot."""
    with tempfile.NamedTemporaryFile(suffix=".sh") as empty:
        done = subprocess.run([BINARY, "run", empty.name], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    return done.returncode != 126


def need_groups():
    need(has_groups(), "no control group for this user: limits on memory, processor and idle time are not tested")


# ---------------------------------------------------------------- an ordinary user

NOBODY = 65534
GROUPS = (4, 27, 54321)
IDS = 400000000  # from here on this user may give ids away
NEWUIDMAP = ("/usr/bin/newuidmap", "/usr/bin/newgidmap")


def has_newuidmap():
    return all(os.access(program, os.X_OK) for program in NEWUIDMAP) and os.path.exists("/etc/subuid") and os.path.exists("/etc/subgid")


def need_newuidmap():
    need(has_newuidmap(), "the package uidmap is not installed: it is not tested that a user's further groups are dropped")


def user_prefix(folder, groups=GROUPS, ids="nobody:%d:65536\n" % IDS, programs=None, group=NOBODY, last=()):
    """What starts a command as users are on most systems: in further groups, with ids of theirs in /etc/subuid and /etc/subgid.
    In mounts of its own, those files say so, and @programs (None: the machine's) are newuidmap and newgidmap."""
    ranges = folder / "subids"
    ranges.write_text(ids)
    mounts = [(ranges, "/etc/subuid"), (ranges, "/etc/subgid")] if has_newuidmap() else []
    mounts += [(programs, path) for path in NEWUIDMAP if programs and has_newuidmap()]
    script = "".join("mount --bind '%s' '%s' && " % pair for pair in mounts) + 'exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh"] if mounts else []
    words += ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % group, "--inh-caps=-all",
              "--groups=" + ",".join(map(str, groups)) if groups else "--clear-groups"]
    return words + list(last) + ["env", "HOME=" + str(folder), "XDG_RUNTIME_DIR="]


def groups_stay():
    """Are whoever runs the tests in further groups that nobody drops from a cage of theirs?"""
    doctor = subprocess.run([BINARY, "doctor", "--json"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    (row,) = [check for check in json.loads(doctor.stdout)["checks"] if check["name"] == "identity"]
    return row["state"] != "ok"


# ---------------------------------------------------------------- one run

class Run:
    """What came out of one command."""

    def __init__(self, status, out, err, receipt_path=None, seconds=0.0):
        self.status, self.out, self.err, self.receipt_path, self.seconds = status, out, err, receipt_path, seconds

    @property
    def text(self):
        return self.out.decode()

    @property
    def said(self):
        return self.err.decode(errors="replace")

    @property
    def receipt(self):
        assert self.receipt_path and self.receipt_path.exists(), "no receipt was written: %s" % self
        return json.loads(self.receipt_path.read_text())

    @property
    def ending(self):
        return self.receipt["ending"]

    @property
    def denials(self):
        return {(row["class"], row["what"]): row["count"] for row in self.receipt["denials"]}

    def denied(self, word):
        """The rows of the receipt's denials whose call is, or starts with, the word."""
        return [row for row in self.receipt["denials"] if re.match(re.escape(word) + r"(\(|$)", row["what"])]

    def __repr__(self):
        return "status %s\nstdout %r\nstderr %s" % (self.status, self.out[-2000:], self.said[-2000:])


class Hood:
    """fumehood with a place for files and a nonce that marks everything it starts."""

    def __init__(self, folder, nonce, binary=BINARY, prefix=(), as_is=False):
        self.folder, self.nonce, self.binary, self.prefix = folder, nonce, str(binary), list(prefix)
        self.as_is = as_is or has_groups()
        self.count = 0

    def file(self, name, content=b"", mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
        return path

    def command(self, *words):
        """The words to execute. Without control groups a run without a policy goes on without them."""
        words = [str(word) for word in words]
        if words and words[0] in ("run", "eval") and "--policy" not in words and not self.as_is:
            words = [words[0], "--policy", "if-available", *words[1:]]
        if CAGE and words and words[0] == "run" and not {"--cage", "--fresh"} & set(words):
            words = [words[0], "--cage", CAGE, *words[1:]]
        return self.prefix + [self.binary] + words

    def policy(self, name, text):
        """A policy file, which goes on without control groups where there are none."""
        if not self.as_is and "limits:" not in text:
            text += "limits:\n  memory_bytes_if_available: 512MiB\n  cpus_if_available: 1\n"
        return self.file(name, text)

    def call(self, *words, stdin=b"", timeout=60, env=None, **more):
        """Any fumehood command."""
        began = time.monotonic()
        done = subprocess.run(self.command(*words), input=stdin, capture_output=True, timeout=timeout, env=env, **more)
        return Run(done.returncode, done.stdout, done.stderr, seconds=time.monotonic() - began)

    def program(self, source, extension):
        self.count += 1
        return self.file("p%d-%s.%s" % (self.count, self.nonce, extension), source)

    def words(self, program, args=(), options=(), marked=True):
        self.count += 1
        receipt = self.folder / ("receipt-%d.json" % self.count)
        words = ["run", "--receipt", receipt]
        if marked:
            words += ["--env", "STORY_NONCE=" + self.nonce]
        words += list(options) + [program]
        return words + (["--"] + list(args) if args else []), receipt

    def run(self, program, args=(), options=(), marked=True, **more):
        """fumehood run of a file; afterwards nothing of it may be alive, at once."""
        words, receipt = self.words(program, args, options, marked)
        result = self.call(*words, **more)
        result.receipt_path = receipt
        left = processes_with(self.nonce)
        assert not left, "alive after the result was returned: %s" % left
        return result

    def start(self, program, args=(), options=(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **more):
        """The same, not waited for."""
        words, receipt = self.words(program, args, options)
        process = subprocess.Popen(self.command(*words), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, **more)
        process.receipt_path = receipt
        return process

    def python(self, source, *args, **more):
        return self.run(self.program(source, "py"), args, **more)

    def shell(self, source, *args, **more):
        return self.run(self.program(source, "sh"), args, **more)

    def compile(self, source, *flags):
        """A native program, made on the host."""
        need(shutil.which("gcc"), "gcc is not installed: native probes are not run")
        self.count += 1
        code = self.file("c%d.c" % self.count, source)
        made = self.folder / ("n%d-%s" % (self.count, self.nonce))
        subprocess.run(["gcc", "-w", "-O1", *flags, "-o", str(made), str(code)], check=True)
        return made

    def guests(self):
        """Host pids of this hood's guests: they have the mark in their environment."""
        mark = ("STORY_NONCE=" + self.nonce).encode()
        found = []
        for pid in processes_with(self.nonce):
            try:
                if mark in pathlib.Path("/proc/%d/environ" % pid).read_bytes().split(b"\0"):
                    found.append(pid)
            except OSError:
                pass
        return found


def finish(process, timeout=30):
    out, err = process.communicate(timeout=timeout)
    return Run(process.returncode, out, err, process.receipt_path)


def results_of(folder):
    return [json.loads(line) for line in (pathlib.Path(folder) / "results.jsonl").read_text().splitlines()]


def summary_of(folder):
    return json.loads((pathlib.Path(folder) / "summary.json").read_text())


# ---------------------------------------------------------------- expectations

def expect_status(run, status):
    assert run.status == status, "expected status %s\n%r" % (status, run)
    return run


def expect_ending(run, kind, **fields):
    """The receipt's ending, and what any receipt must hold."""
    expect_whole_receipt(run.receipt)
    ending = run.ending
    assert ending["kind"] == kind, "%s\n%r" % (ending, run)
    for name, value in fields.items():
        assert ending[name] == value, "%s: %s\n%r" % (name, ending, run)
    return run


def expect_one_line(run, *parts):
    """One line on stderr, from fumehood, with the parts in it; nothing on stdout."""
    lines = run.said.splitlines()
    assert len(lines) == 1 and lines[0].startswith("fumehood: "), "not one clear line: %r" % run
    for part in parts:
        assert re.search(part, lines[0]), "no %r in: %s" % (part, lines[0])
    assert run.out == b"", run
    return lines[0]


def expect_refusal(run, status, *parts):
    expect_status(run, status)
    return expect_one_line(run, *parts)


def expect_whole_receipt(receipt):
    """Every field of the contract, with its type; nothing of the run left."""
    assert receipt["schema"] == "fumehood.receipt/1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", receipt["started_utc"])
    assert receipt["run_id"] and receipt["version"]
    assert receipt["tier"] == "container" and receipt["cage"] in ("fresh", "slot")
    for name in ("name", "runtime", "sha256", "bytes"):
        assert name in receipt["program"], name
    assert re.fullmatch("[0-9a-f]{64}", receipt["policy"]["sha256"]) and receipt["policy"]["name"]
    assert receipt["syscalls"]["profile"] and re.fullmatch("[0-9a-f]{64}", receipt["syscalls"]["sha256"])
    assert receipt["root"]["kind"] in ("host", "oci", "dir") and "digest" in receipt["root"]
    for name in ("requested", "achieved", "missing"):
        assert isinstance(receipt["protections"][name], list), name
    assert set(receipt["limits"]) == set(LIMIT_KEYS)
    for key, limit in receipt["limits"].items():
        assert "value" in limit and "enforced_by" in limit, key
    assert all({"at", "kind", "mode"} <= set(row) for row in receipt["mounts"])
    assert {"kernel-bugs", "side-channels"} <= set(receipt["residual"])
    ending = receipt["ending"]
    assert ending["kind"] in ENDINGS and {"exit_code", "signal", "limit", "detail"} <= set(ending)
    for row in receipt["denials"]:
        assert row["class"] in ("syscall", "network", "process", "filesystem", "device", "privilege"), row
        assert row["count"] >= 1 and "first_us" in row and row["what"]
    for name in ("wall_us", "cpu_us", "memory_peak_bytes", "processes_peak", "scratch_peak_bytes"):
        assert name in receipt["usage"], name
    for stream in (receipt["stdout"], receipt["stderr"]):
        assert {"bytes", "kept_bytes", "truncated", "sha256", "text", "utf8"} <= set(stream)
        assert ("base64" in stream) == (stream["utf8"] is False)
    assert {"delivered", "rejected"} <= set(receipt["artifacts"]) and receipt["effects"] == []
    left = receipt["teardown"]
    assert ("slot" in left) == (receipt["cage"] == "slot"), left
    if receipt["cage"] == "slot":
        assert left["slot"]["state"] == ("dropped" if left["slot"]["why"] else "clean"), left
    assert [left[name] for name in ("processes_left", "cgroups_left", "mounts_left", "files_left")] == [0, 0, 0, 0], left
    assert {"kernel", "cpu", "cpus", "load_1min"} <= set(receipt["environment"])
    assert "previous_sha256" in receipt and re.fullmatch("[0-9a-f]{64}", receipt["sha256"])


def expect_protected(receipt):
    """All that was asked for was achieved, but for what this machine lacks and the policy gives leave to go without."""
    protections = receipt["protections"]
    missing = (set() if has_groups() else {"cgroup"}) | ({"identity"} if not is_root() and groups_stay() else set())
    assert set(protections["missing"]) <= missing, protections
    assert set(protections["requested"]) - missing <= set(protections["achieved"]), protections
