"""test_setup.py - from a bare checkout to a judged example: the README's commands, and what build/ may have been before"""
import os
import pathlib
import shlex
import shutil
import subprocess
import time

import pytest

import hood as story

# What there is without a terminal, a home, a user's name and a language
NO_COMFORT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
NOT_OURS = ("build", ".git", "fumehood-results", "__pycache__", ".pytest_cache")
ROOT_DAYS = 7
# Makes a folder the root of its own processes and mounts. A plain chroot would not do: there no cage can be made.
ENTER = r"""
set -eu
mount --bind "$0" "$0"
cd "$0"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs tmpfs run
mkdir -p .old
pivot_root . .old
umount -l /.old
cd /
exec "$@"
"""


def copy_checkout(to):
    shutil.copytree(story.REPO, to, symlinks=True, ignore=shutil.ignore_patterns(*NOT_OURS))
    return to


# ---------------------------------------------------------------- the build folder

@pytest.fixture
def checkout(tmp_path):
    story.need(shutil.which("cmake") and shutil.which("ninja"), "cmake or ninja is not installed: no build is tried")
    return copy_checkout(tmp_path / "a path, with blanks & (more)" / "fumehood")


OBJECT = "CMakeFiles/base.dir/src/base/units.c.o"


def build(checkout, **more):
    """One object of it."""
    return subprocess.run([checkout / "scripts/build.sh", "release", "build/release", OBJECT, "-DFUMEHOOD_TESTS=OFF"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, env=NO_COMFORT, timeout=300, **more)


def expect_built(checkout, **more):
    made = checkout / "build/release" / OBJECT
    made.unlink(missing_ok=True)
    done = build(checkout, **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    assert made.stat().st_size > 1000


def moved(checkout):
    return checkout.rename(checkout.parent.parent / "elsewhere")


def copied(checkout):
    return shutil.copytree(checkout, checkout.parent.parent / "elsewhere", symlinks=True)


def cache(text):
    def change(checkout):
        (checkout / "build/release/CMakeCache.txt").write_text(text)
        return checkout
    return change


def half_configured(checkout):
    (checkout / "build/release/build.ninja").unlink()
    return checkout


def half_generated(checkout):
    ninja = checkout / "build/release/build.ninja"
    ninja.write_bytes(ninja.read_bytes()[:2000])
    return checkout


def other_generator(checkout):
    shutil.rmtree(checkout / "build/release")
    (checkout / "build/release").mkdir()
    (checkout / "build/release/CMakeCache.txt").write_text(
        "CMAKE_GENERATOR:INTERNAL=Unix Makefiles\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n" % checkout)
    return checkout


def compiler_that_went(checkout):
    path = checkout / "build/release/CMakeCache.txt"
    lines = path.read_text().splitlines()
    path.write_text("\n".join("CMAKE_C_COMPILER:FILEPATH=/nowhere/cc" if line.startswith("CMAKE_C_COMPILER:") else line
                              for line in lines))
    return checkout


@pytest.mark.parametrize("change", [moved, copied, cache(""), cache("nonsense\n\x00"), half_configured, half_generated,
                                    other_generator, compiler_that_went],
                         ids="moved copied empty-cache torn-cache half-configured half-generated generator compiler".split())
def test_it_builds_in_what_an_earlier_build_left(checkout, change):
    expect_built(checkout)
    expect_built(change(checkout))


def test_a_mistake_in_the_source_is_shown_and_builds_once_mended(checkout):
    expect_built(checkout)
    file = checkout / "src/base/units.c"
    text = file.read_text()
    file.write_text(text + "\nnot C\n")
    done = build(checkout)
    assert done.returncode == 1 and "units.c" in done.stderr and "error" in done.stderr, done
    file.write_text(text)
    expect_built(checkout)


@pytest.mark.parametrize("theirs", ["all", "build", "one file"])
def test_a_build_of_another_user_is_refused_with_a_remedy(open_folder, theirs):
    story.need(story.is_root(), "not root: there is no second user to build as")
    checkout = copy_checkout(open_folder / "fumehood")
    (checkout / "build").mkdir()
    (checkout / "build/release.build.log").write_text("")
    for top, _, names in os.walk(checkout):
        for path in [top] + [os.path.join(top, name) for name in names]:
            os.chmod(path, os.stat(path).st_mode | 0o444 | (0o111 if os.path.isdir(path) else 0))
            others = {"all": True, "build": "/build" in path, "one file": path.endswith(".log")}[theirs]
            if not others:
                os.chown(path, 65534, 65534, follow_symlinks=False)
    done = build(checkout, user=65534, group=65534, extra_groups=[])
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert "cannot be written" in done.stderr and "rm -r build" in done.stderr, done


# ---------------------------------------------------------------- what is installed

def setup(*sets, path=None):
    env = dict(NO_COMFORT, PATH=str(path)) if path else NO_COMFORT
    return subprocess.run(["/bin/sh", story.REPO / "scripts/setup.sh", *sets], capture_output=True, text=True, env=env,
                          stdin=subprocess.DEVNULL, timeout=60)


def test_an_unknown_set_is_refused():
    done = setup("biuld")
    assert done.returncode == 2 and done.stdout == "" and "biuld" in done.stderr, done


def test_nothing_is_said_where_nothing_is_missing():
    done = setup("make")
    story.need(os.path.exists("/usr/bin/make"), "make is not installed")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


# ---------------------------------------------------------------- a bare root

def sources():
    """The machine's own lists of packages of this release of Debian, as text."""
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    name, found = release.get("VERSION_CODENAME", "").strip('"'), []
    for path in [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        if path.suffix == ".sources":
            for entry in path.read_text().split("\n\n"):
                suites = [word for line in entry.splitlines() if line.startswith("Suites:") for word in line.split()[1:]]
                if any(word == name or word.startswith(name + "-") for word in suites):
                    found.append((".sources", entry.strip() + "\n"))
        elif path.suffix == ".list" and path.exists():
            lines = [line for line in path.read_text().splitlines() if line.startswith("deb ")]
            lines = [line for line in lines if any(word == name or word.startswith(name + "-") for word in line.split())]
            if lines:
                found.append((".list", "\n".join(lines) + "\n"))
    return name, found


def make_archive(archive, folder):
    """The smallest Debian that mmdebstrap knows, and git."""
    release, found = sources()
    story.need(found, "no list of packages of this release is in /etc/apt: no bare root is made")
    files = []
    for number, (suffix, text) in enumerate(found):
        files.append(folder / ("sources-%d%s" % (number, suffix)))
        files[-1].write_text(text)
    settings = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout.splitlines()
    options = ["--aptopt=" + line for line in settings if "roxy" in line and not line.endswith('"";')]
    new = archive.with_suffix(".new")
    done = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--include=git", "--format=tar", *options, release, new,
                           *files], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    story.need(done.returncode == 0, "mmdebstrap makes no root (are there packages to be had?): " + done.stderr[-400:])
    new.rename(archive)


@pytest.fixture
def bare(tmp_path):
    """A bare Debian as a root: bare(command, **surroundings)."""
    for tool in ("mmdebstrap", "unshare", "tar"):
        story.need(shutil.which(tool), tool + " is not installed: the first command is not tried in a bare root")
    story.need(story.is_root(), "not root: no bare root is made")
    archive = story.REPO / "build/bare-root.tar"
    archive.parent.mkdir(exist_ok=True)
    if not archive.exists() or time.time() - archive.stat().st_mtime > ROOT_DAYS * 86400:
        make_archive(archive, tmp_path)
    root = tmp_path / "root"
    root.mkdir(mode=0o755)
    try:
        subprocess.run(["tar", "-C", root, "-xf", archive, "--exclude=./dev/*"], check=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        yield root
    finally:
        shutil.rmtree(root)


def within(root, script, env=NO_COMFORT, timeout=900):
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, root, "/bin/sh", "-c", script],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env,
                          timeout=timeout)
    return done


def expect_demo(done):
    assert done.returncode == 0, done.stdout[-3000:]
    assert done.stdout.rstrip().splitlines()[-1].startswith("demo: all "), done.stdout[-3000:]


def test_the_first_command_in_a_bare_root(bare):
    """As root, in surroundings that nobody likes; then in a copy of that as a user, who is not root and whose path is another."""
    for tool in ("usr/bin/make", "usr/bin/cc", "usr/bin/sudo", "usr/bin/python3"):
        assert not (bare / tool).exists()
    copy_checkout(bare / "root/my work/fumehood")
    expect_demo(within(bare, "trap '' INT QUIT HUP; umask 077; cd '/root/my work/fumehood' && nice -n 1 ./make demo"))

    # docs/library.md, where no cmocka is: the commands as they stand there
    lines = [line.strip() for line in (story.REPO / "docs/library.md").read_text().splitlines() if line.startswith("    ") and "PREFIX" in line]
    script = "\n".join(line.replace("PREFIX/", "/opt/f/").replace("=PREFIX ", "=/opt/f ") for line in lines if "-static" not in line)
    done = within(bare, "set -e; cd '/root/my work/fumehood'; rm build/release/CMakeCache.txt; cp examples/run.c .\n" + script +
                  "\n./a.out 'print(sum(range(10)))'")
    assert done.returncode == 0 and done.stdout.splitlines()[-2:] == ["45", "exited, exit code 0"], done.stdout[-3000:]

    (bare / "as-user").write_text("cd ~/fumehood && exec ./make demo\n")
    done = within(bare, " && ".join([
        "useradd -m -d /srv/friend -s /bin/sh -G users friend", "umask 022",
        "cp -r '/root/my work/fumehood' /srv/friend/ && chown -R friend /srv/friend/fumehood",
        "su - friend -c " + shlex.quote("sh /as-user") + " >/said 2>&1; cat /said", "dpkg --purge --force-depends ninja-build >/dev/null",
        "! su - friend -c " + shlex.quote("sh /as-user") + " >/said 2>&1; cat /said"]))
    assert "demo: all" in done.stdout, done.stdout[-3000:]
    assert done.stdout.rstrip().endswith("setup.sh: not found: ninja-build (as root: apt-get install ninja-build)"), done.stdout[-3000:]
    expect_demo(within(bare, " && ".join([
        "apt-get -q -y install --no-install-recommends sudo >/said 2>&1", "echo 'friend ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/friend",
        "su - friend -c " + shlex.quote("sh /as-user")])))
