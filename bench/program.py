# program.py - what the programs here have in common: one line for what goes wrong, a way to end, a name for what is measured
import argparse
import contextlib
import json
import os
import shutil
import signal
import sys
import time

# The plain harness is measured from its start: what only others need is imported where they do.

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
DEFAULT = os.path.join(TOP, "build", "release", "fumehood")
PR_SET_CHILD_SUBREAPER = 36
STOPS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
STOPPED = "stopped before its end"
PATIENCE_S = 5  # for what was started to end in its own order
KILL_S = 5
FIRST_NEWS_S, NEWS_S = 10, 20
# A child in a group of its own gets no Ctrl-C from the terminal: it is told when it is to end, and waited for.
OWN_GROUP = {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}


class Refused(Exception):
    """It cannot begin, or not go on: why, in one line. Status 2: wrong words or files."""

    status = 2


class Failed(Refused):
    status = 1


class Stopped(BaseException):
    """A signal ended it; what was started is ended, and reaped."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(f"{message} (see --help)")


# ---- to end ------------------------------------------------------------------------------------------------------------


def children():
    """Pids of this process's own, the dead that nobody has reaped too."""
    found = set()
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", encoding="ascii") as f:
                found.update(map(int, f.read().split()))
    except OSError:  # a kernel without this file
        import machine

        found = {pid for pid, (parent, _) in machine.parents().items() if parent == os.getpid()}
    return found


def reap(pids):
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def end_children(before):
    """Tell all that was started to end, kill what does not, and reap everything: by pid, and only what is below here.

    What loses its parent meanwhile becomes a child of this process, and is told in its turn.
    """
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    told, began = set(), time.monotonic()
    while mine := children() - before:
        late_s = time.monotonic() - began - PATIENCE_S
        if late_s > KILL_S:
            break
        for pid in mine if late_s > 0 else mine - told:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if late_s > 0 else signal.SIGTERM)
        told |= mine
        reap(mine)
        time.sleep(0.02)


def run(name, main, at_a_stop=None):
    """main() as a program of this name; its value is the status.

    A stop unwinds main(). Where threads would keep it from that, it calls @at_a_stop instead and is over.
    """
    before, stops, said = children(), [], ""

    def stop(number, _):
        for other in STOPS:
            signal.signal(other, signal.SIG_IGN)
        stops.append(number)
        end_children(before)
        if at_a_stop:
            at_a_stop()
            print(f"{name}: {STOPPED}", file=sys.stderr, flush=True)
            os._exit(STOPS[number])
        raise Stopped

    for number in STOPS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        status = main() or 0
        sys.stdout.flush()
    except Stopped:
        status = 1
    except Refused as e:
        status, said = e.status, " ".join(str(e).split())
    except BrokenPipeError:
        status, said = 1, "nobody reads what it writes"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as e:
        status, said = 1, str(e)
    if stops:  # whatever that has led to
        status, said = STOPS[stops[0]], STOPPED
    if said:
        print(f"{name}: {said}", file=sys.stderr)
    sys.exit(status)


# ---- what is measured --------------------------------------------------------------------------------------------------


def tree_of(path):
    """{commit, path} where the program lies in a clone: git's name of what that holds now, and where in it. Or None."""
    import subprocess

    folder = os.path.dirname(os.path.realpath(path))
    git, how = ["git", "-C", folder], {"capture_output": True, "text": True, "check": True}
    try:
        top = subprocess.run([*git, "rev-parse", "--show-toplevel"], **how)
        says = subprocess.run([*git, "describe", "--always", "--tags", "--dirty=, changed"], **how)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {"commit": says.stdout.strip(), "path": os.path.relpath(os.path.realpath(path), top.stdout.rstrip("\n"))}


def choose(named):
    """The program that was named, else the one of this tree, else the one on PATH."""
    return os.path.abspath(named or (DEFAULT if os.access(DEFAULT, os.X_OK) else shutil.which("fumehood") or DEFAULT))


def identify(path):
    """{path, version, sha256, tree} of a fumehood."""
    if not os.path.isfile(path):
        raise Refused(f"{path} is not there: `make bench-build` builds build/release/fumehood; or name another")
    import hashlib
    import subprocess

    try:
        said = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=10, check=False)
        with open(path, "rb") as f:
            sha256 = hashlib.sha256(f.read()).hexdigest()
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Refused(f"{path} cannot be started: {getattr(e, 'strerror', None) or 'it does not say its version'}") from e
    if said.returncode != 0 or not said.stdout.startswith("fumehood "):
        raise Refused(f"{path} is not fumehood: it does not say its version")
    return {"path": path, "version": said.stdout.split("\n")[0], "sha256": sha256, "tree": tree_of(path)}


def describe(about):
    """One line of what identify() found."""
    tree = about["tree"]
    where = f"{tree['path']} in a clone at {tree['commit']}" if tree else about["path"]
    return f"{about['version']}, {where}, SHA-256 {about['sha256'][:12]}"


def print_head(about):
    print(f"measured: {describe(about)}\n          {about['path']}", flush=True)


# ---- news of a long measurement ----------------------------------------------------------------------------------------


class News:
    """A line on stderr now and then, when it takes long."""

    def __init__(self, name, quiet):
        self.name, self.quiet, self.began = name, quiet, time.monotonic()
        self.next_s = FIRST_NEWS_S

    def say(self, text):
        now_s = time.monotonic() - self.began
        if now_s >= self.next_s and not self.quiet:
            print(f"{self.name}: {text} ({now_s:.0f} s so far)", file=sys.stderr, flush=True)
            self.next_s = now_s + NEWS_S


def add_quiet(parser):
    parser.add_argument("--no-progress", action="store_true", help="do not say on stderr now and then how far it is")


# ---- files -------------------------------------------------------------------------------------------------------------


def read_json(path):
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
    except OSError as e:
        raise Refused(f"{path}: {e.strerror}") from e
    except ValueError as e:
        raise Refused(f"{path}: not JSON, or only a part of it: {e}") from e
    if not isinstance(data, dict):
        raise Refused(f"{path}: no figures of a program in bench/")
    return data


def check_writable(path):
    """Before the work, not after it."""
    if path is None:
        return
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise Refused(f"{path} cannot be written")


def write_json(path, data):
    if path is None:
        return
    with open(path, "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1)
        f.write("\n")
