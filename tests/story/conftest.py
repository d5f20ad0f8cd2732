"""conftest.py - fixtures of the story tests, and the checks that nothing is left after any of them."""
import os
import pathlib
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile

import pytest

import hood as story


@pytest.fixture(scope="session", autouse=True)
def signals_as_usual():
    """What a shell's background or nohup has the tests ignore, fumehood would ignore as well."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_configure(config):
    """Whatever started the tests may ignore or block signals (a shell's background job, nohup), or hide its files; what they
    start does not, and what they make can be seen by the users that they make it for."""
    os.umask(0o022)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def pytest_report_header():
    return "fumehood: %s%s%s" % (story.BINARY, "" if story.BINARY.exists() else " (MISSING)",
                                 ", --cage " + story.CAGE if story.CAGE else "")


@pytest.fixture(scope="session", autouse=True)
def binary():
    if not os.access(story.BINARY, os.X_OK):
        pytest.exit("no program to test at %s: build it, or set FUMEHOOD_BIN" % story.BINARY, returncode=2)
    return story.BINARY


@pytest.fixture
def nonce():
    return "n" + secrets.token_hex(8)


@pytest.fixture(autouse=True)
def nothing_left(nonce, tmp_path):
    """After each test: no process of it, no control group, no mount, no descriptor."""
    mounts, groups, descriptors = story.mount_table(tmp_path), story.own_cgroups(), len(os.listdir("/proc/self/fd"))
    yield
    left = story.wait_until(lambda: not story.processes_with(nonce), 3) or story.processes_with(nonce)
    assert left is True, "processes left: %s" % left
    assert story.mount_table(tmp_path) == mounts, "mounts left"
    left = story.left_cgroups(groups)
    assert not left, "control groups left: %s" % left
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 2, "descriptors left"


@pytest.fixture
def hood(tmp_path, nonce):
    """fumehood as whoever runs the tests."""
    return story.Hood(tmp_path, nonce)


@pytest.fixture
def open_folder(nonce):
    """A folder that other users can reach too."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="story-", dir="/tmp"))
    folder.chmod(0o1777)  # as /tmp: where others may take what is ours, nothing is written
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def user_hood(open_folder, nonce):
    """fumehood as an ordinary user who is in further groups and owns no control group."""
    if not story.is_root():
        return story.Hood(open_folder, nonce, as_is=True)
    story.need(shutil.which("setpriv"), "setpriv is not installed: the ordinary user is not tested")
    binary = open_folder / "fumehood"
    shutil.copy(story.BINARY, binary)
    binary.chmod(0o755)
    return story.Hood(open_folder, nonce, binary, story.user_prefix(open_folder), as_is=True)


@pytest.fixture
def small_disk(tmp_path):
    """Makes a small file system: small_disk(bytes) -> folder."""
    mounted = []

    def make(size, options=""):
        story.need(story.is_root(), "not root: no small file system can be mounted for the full-disk test")
        folder = tmp_path / ("disk%d" % len(mounted))
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d%s" % (size, options), "story", str(folder)], check=True)
        mounted.append(folder)
        return folder
    yield make
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def strace():
    if b"__asan_init" in story.BINARY.read_bytes():
        pytest.skip("a program with AddressSanitizer does not end well under strace")
    story.need(shutil.which("strace"), "strace is not installed: no call can be seen, or made to fail")
    story.need(subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0,
         "strace may not trace here: no call can be seen, or made to fail")


@pytest.fixture
def canary(nonce):
    """Puts a file with a secret at places of the host: canary(path) -> secret. Removes it afterwards."""
    placed = []

    def put(path):
        secret = "canary-" + nonce
        try:
            with open(path, "x") as file:
                file.write(secret)
        except OSError as why:
            story.need(False, "cannot place a canary at %s: %s" % (path, why))
        os.chmod(path, stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IROTH)
        placed.append(path)
        return secret
    yield put
    for path in placed:
        os.unlink(path)
