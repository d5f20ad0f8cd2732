"""The root that stands ready for the next run of a slot: the same as one of a run's own, or not used."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import time

import pytest

from hood import *

ROOT = re.compile(r"root-0-[0-9a-f]{16}")

# All that is the root's own, and what stands on it: path, kind, what a link or a small file holds.
LISTED = r"""
import os, stat
for top, folders, files in os.walk('/'):
    if top.count('/') > 4 or top.startswith(('/usr', '/proc', '/work', '/tmp', '/etc/alternatives', '/dev/fd')): folders[:] = []; continue
    for name in sorted(folders + files):
        path = os.path.join(top, name); is_on_root = os.lstat(path).st_dev == os.lstat('/').st_dev
        text = os.readlink(path) if os.path.islink(path) else ''
        if path in ('/etc/passwd', '/etc/group', '/etc/hosts', '/etc/nsswitch.conf'): text = open(path).read()
        print(path, oct(os.lstat(path).st_mode), repr(text))
"""
INODE = "import os; print(os.stat('/').st_ino)"


class Place:
    """A folder for slots of the test's own, in mounts of its own."""

    def __init__(self, hood, pid):
        self.hood, self.pid = hood, pid
        self.slots = pathlib.Path("/proc/%d/root/run/fumehood/slots" % pid)

    def shell(self, script, *words):
        subprocess.run(["nsenter", "-t", str(self.pid), "-m", "sh", "-ec", script, "sh", *map(str, words)], check=True)

    def names(self):
        return sorted(name for name in os.listdir(self.slots) if name.startswith("root-"))

    def root(self):
        (name,) = self.names()
        assert ROOT.fullmatch(name), name
        return self.slots / name

    def python(self, source, status=0):
        run = self.hood.run(self.hood.program(source, "py"), options=["--cage", "fresh"])
        assert run.status == status, run
        return run

    def run_is_on(self, root):
        """Whether a run's root is the one that stands ready."""
        return int(self.python(INODE).text) == root.stat().st_ino


@contextlib.contextmanager
def place_of(hood, options):
    need(is_root(), "an ordinary user's runs have no root that stands ready")
    need(all(map(shutil.which, ("unshare", "nsenter"))), "unshare and nsenter are not installed (apt-get install util-linux)")
    script = "mkdir -p /run/fumehood && mount -t tmpfs -o '%s' own /run/fumehood && echo up && exec sleep 600" % options
    holder = subprocess.Popen(["unshare", "--mount", "sh", "-ec", script], stdout=subprocess.PIPE)
    try:
        need(holder.stdout.readline() == b"up\n", "no mounts can be made here")
        hood.prefix = ["nsenter", "-t", str(holder.pid), "-m", "--"]
        yield Place(hood, holder.pid)
    finally:
        holder.kill()
        holder.communicate()


@pytest.fixture
def place(hood):
    with place_of(hood, "mode=0755") as found:
        yield found


def settings_of(run):
    return {row["at"] for row in run.receipt["mounts"] if row["kind"] == "host-settings"}


def test_it_is_as_a_run_of_its_own_makes_it(place):
    first = place.python(LISTED)
    root = place.root()
    status = root.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (0, 0, 0o755)
    assert place.run_is_on(root)
    second = place.python(LISTED)
    assert first.text == second.text and "/etc/passwd" in second.text, (first, second)
    assert first.receipt["mounts"] == second.receipt["mounts"] and first.receipt["protections"] == second.receipt["protections"]
    assert place.root() == root


def test_nothing_of_a_guest_gets_into_it(place):
    place.python(INODE)
    before = place.python(LISTED).text
    place.python(r"""
import fcntl, os
for path in ('/', '/etc', '/etc/passwd', '/dev', '/dev/null', '/usr', '/scratch', '/proc'):
    for call in (lambda: os.chmod(path, 0o777), lambda: os.utime(path, (1, 1)), lambda: os.chown(path, 1000, 1000), lambda: os.unlink(path),
                 lambda: os.rename(path, path + 'x'), lambda: os.setxattr(path, 'user.a', b'b'), lambda: os.mkdir(path + '/made'),
                 lambda: os.link('/work', path + '/linked'), lambda: os.symlink('/', path + '/linked'), lambda: open(path, 'r+').write('planted'),
                 lambda: os.truncate(path, 0), lambda: os.rmdir(path)):
        try: call()
        except OSError: continue
        if not path.startswith('/dev/'): print('did', path)
held = os.open('/etc/passwd', os.O_RDONLY)
fcntl.flock(held, fcntl.LOCK_EX)
try: fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK); print('lease')
except OSError: pass
if os.fork() == 0: os.setsid(); import time; time.sleep(30)
""")
    assert place.run_is_on(place.root())
    assert place.python(LISTED).text == before


def test_what_the_machine_has_is_looked_at_each_time(place):
    """A setting that goes or comes makes another root; of a slot there is one."""
    shown = settings_of(place.python(INODE))
    folders = [path for path in shown if os.path.isdir(path) and not os.path.islink(path)]
    need(folders, "this machine has no settings that are shown to guests")
    before, gone = place.root(), folders[0]
    place.shell('mount -t tmpfs -o mode=0700 hidden "$1"', gone)
    run = place.python("import os; print(os.path.exists(%r), os.stat('/').st_ino)" % gone)
    assert settings_of(run) == shown - {gone} and run.text.split()[0] == "False", run
    assert place.root() != before and place.run_is_on(place.root())
    place.shell('umount "$1"', gone)
    assert settings_of(place.python(INODE)) == shown
    assert place.root().name == before.name and place.run_is_on(place.root())


def test_what_a_file_of_the_machine_holds_is_never_old(place):
    """Nothing is copied: what stands ready are places, and what is mounted there is the machine's as it is."""
    folders = [path for path in settings_of(place.python(INODE)) if os.path.isdir(path) and not os.path.islink(path)]
    need(folders, "this machine has no settings that are shown to guests")
    place.shell('mount -t tmpfs -o mode=0755 new "$1" && echo one >"$1/story"', folders[0])
    source = "print(open(%r).read(), end='')" % (folders[0] + "/story")
    assert place.python(source).text == "one\n"
    place.shell('echo two >"$1/story"', folders[0])
    assert place.python(source).text == "two\n"


@pytest.mark.parametrize("plant", ["""mv "$1" "$1.real"; ln -s "$1.real" "$1" """, """rm -r "$1"; echo text >"$1" """, """chmod 0777 "$1" """,
                                   """rm -r "$1"; ln -s / "$1" """])
def test_something_else_of_that_name_is_not_used(place, plant):
    """Only root could have put it there; and it is put right."""
    listed = place.python(LISTED).text
    root = place.root()
    place.shell(plant, "/run/fumehood/slots/" + root.name)
    run = place.python(LISTED + INODE)
    assert run.text.splitlines()[:-1] == listed.splitlines()
    assert int(run.text.splitlines()[-1]) != root.stat().st_ino
    assert place.run_is_on(place.root())


def test_a_folder_that_others_may_write_to_is_refused(place):
    place.python(INODE)
    place.shell("chmod 0777 /run/fumehood/slots")
    run = place.python(INODE, status=125)
    assert "others may write" in run.said, run


def test_one_that_somebody_has_broken_ends_a_run_and_is_made_anew(place):
    """Not less is shown: it does not start."""
    shown = settings_of(place.python(INODE))
    need(shown, "this machine has no settings that are shown to guests")
    place.shell('rm -r "$1/etc"', "/run/fumehood/slots/" + place.root().name)
    expect_ending(place.python(INODE, status=125), "setup-error")
    assert settings_of(place.python(INODE)) == shown
    assert place.run_is_on(place.root())


def test_runs_at_the_same_time_have_roots_of_their_own(place):
    for _ in range(2):
        programs = [place.hood.program("import os, time; s = os.stat('/'); print(s.st_dev, s.st_ino); time.sleep(1)", "py") for _ in range(2)]
        runs = [place.hood.start(program, options=["--cage", "fresh"]) for program in programs]
        roots = {finish(run, 30).text for run in runs}
        assert len(roots) == 2, roots
    assert [name[:7] for name in place.names()] == ["root-0-", "root-1-"]


def test_a_half_made_one_is_cleared_away(place):
    place.python(INODE)
    place.shell('mv "$1" "$2" && rm -r "$2/etc"', "/run/fumehood/slots/" + place.root().name, "/run/fumehood/slots/root-0-new-0123456789abcdef")
    place.python(INODE)
    assert place.run_is_on(place.root())


def test_one_that_was_not_wholly_removed_is_not_used(place):
    """As where somebody is killed at it: here a mount holds up the removal, until the machine is again as it was."""
    shown = settings_of(place.python(INODE))
    folders = [path for path in shown if os.path.isdir(path) and not os.path.islink(path)]
    need(folders, "this machine has no settings that are shown to guests")
    whole, root = place.python(LISTED).text, place.root()
    place.shell('mount -t tmpfs held "$1/etc/alternatives" && mount -t tmpfs -o mode=0700 hidden "$2"', "/run/fumehood/slots/" + root.name, folders[0])
    place.python(INODE)
    assert root.name not in place.names(), "what is removed piece by piece has its name still"
    place.shell('umount /run/fumehood/slots/root-0-gone/etc/alternatives && umount "$1"', folders[0])
    assert place.python(LISTED).text == whole
    assert place.root().name == root.name and place.run_is_on(place.root())


def test_killed_at_any_moment_it_leaves_no_half_of_one(place):
    whole = place.python(LISTED).text
    for number in range(12):
        place.shell("rm -rf /run/fumehood/slots/root-*")
        process = place.hood.start(place.hood.program("pass", "py"), options=["--cage", "fresh"])
        time.sleep(0.004 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
        assert place.python(LISTED).text == whole
    assert place.run_is_on(place.root())


def test_on_a_full_disk_each_run_makes_its_own(hood):
    with place_of(hood, "mode=0755,nr_inodes=24") as place:
        for _ in range(3):
            run = place.python(LISTED)
            assert place.names() == [] and "/etc/passwd" in run.text, run
            expect_protected(run.receipt)
        first = settings_of(run)
    with place_of(hood, "mode=0755") as place:
        assert settings_of(place.python(INODE)) == first


def test_an_ordinary_users_runs_leave_none(user_hood):
    """Guests have the user's own id there: one that got out of hand could change what the next one sees."""
    run = user_hood.run(user_hood.program(INODE, "py"), options=["--cage", "fresh", "--if-available"])
    assert run.status == 0, run
    if is_root():
        assert not list(pathlib.Path("/tmp/fumehood-%d" % NOBODY, "slots").glob("root-*"))


def test_slots_that_serve_many_have_roots_of_their_own(place):
    """What a keeper's guests see was made for that keeper, and goes with it."""
    place.python(INODE)
    run = place.hood.run(place.hood.program(INODE, "py"), options=["--cage", "slot"])
    assert run.status == 0 and int(run.text) != place.root().stat().st_ino, run
