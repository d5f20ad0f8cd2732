"""The library as it is installed: its example, its symbols, both ways to link it."""
import os
import re
import shutil
import subprocess

import pytest

from hood import *

EXAMPLE = REPO / "examples" / "run.c"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What `cmake --install` puts below a prefix."""
    build = BINARY.parent
    need((build / "libfumehood.so").exists() and (build / "CMakeCache.txt").exists(),
         "no library beside %s: a build with sanitizers has none" % BINARY)
    need(shutil.which("cc") and shutil.which("pkg-config"), "cc or pkg-config is not installed: the library is not tried")
    prefix = tmp_path_factory.mktemp("prefix")
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return prefix


def library_folder(tree):
    return next(tree.rglob("fumehood.pc")).parent.parent


def build_example(tree, to, *more):
    env = dict(os.environ, PKG_CONFIG_PATH=str(library_folder(tree) / "pkgconfig"))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "fumehood"], env=env, capture_output=True, check=True)
    words = flags.stdout.decode().split()
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", str(to), str(EXAMPLE), *words, *more], check=True, timeout=120)
    return to


def run_example(tree, program, *words):
    env = dict(os.environ, LD_LIBRARY_PATH=str(library_folder(tree)))
    return subprocess.run([str(program), *map(str, words)], env=env, capture_output=True, timeout=60)


def test_the_example(hood, tree):
    assert len(EXAMPLE.read_text().splitlines()) <= 30
    program = build_example(tree, hood.folder / "run")
    done = run_example(tree, program, "print('it runs')  # " + hood.nonce, tree / "bin/fumehood")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"it runs\nexited, exit code 0\n", b"")
    done = run_example(tree, program, "while True: pass  # " + hood.nonce, tree / "bin/fumehood")
    assert (done.returncode, done.stdout, done.stderr) == (125, b"limit, exit code -1\n", b"")
    needed = subprocess.run(["readelf", "-d", str(program)], capture_output=True, check=True).stdout.decode()
    assert re.search(r"NEEDED.*\[libfumehood\.so\.\d+\]", needed)


def test_the_archive_alone(hood, tree):
    archive = library_folder(tree) / "libfumehood.a"
    program = hood.folder / "run"
    subprocess.run(["cc", "-static", "-o", str(program), str(EXAMPLE), "-I", str(tree / "include"), str(archive)], check=True)
    done = run_example(tree, program, "import sys; sys.exit(3)", tree / "bin/fumehood")
    assert (done.returncode, done.stdout) == (3, b"exited, exit code 3\n"), done


@pytest.mark.parametrize("how", ["rpath", "static"])
def test_the_commands_of_the_page_for_a_prefix(hood, tree, how):
    """As docs/library.md spells them, but for the program: the build's own prefix is another."""
    page = (REPO / "docs/library.md").read_text().replace("PREFIX/lib", str(library_folder(tree))).replace("PREFIX", str(tree))
    export = re.search(r"^    (export PKG_CONFIG_PATH=.*)$", page, re.M).group(1)
    command = re.search(r"^    (cc .*%s.*)$" % ("-rpath" if how == "rpath" else "-static"), page, re.M).group(1)
    shutil.copy(EXAMPLE, hood.folder / "run.c")
    env = {name: value for name, value in os.environ.items() if name not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
    subprocess.run(["sh", "-ec", export + "\n" + command], cwd=hood.folder, env=env, check=True, timeout=120)
    done = subprocess.run([hood.folder / "a.out", "print('linked')", tree / "bin/fumehood"], env=env, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"linked\nexited, exit code 0\n"), done


def test_a_program_with_borrowed_rights_is_said(hood, tree):
    need(is_root(), "only root can give a program another's rights")
    program = build_example(tree, hood.folder / "run")
    copy = hood.folder / "fumehood"
    shutil.copy(tree / "bin/fumehood", copy)
    os.chown(copy, 65534, 65534)
    copy.chmod(0o4755)
    need(not os.statvfs(copy).f_flag & os.ST_NOSUID, "no program can have borrowed rights in %s" % hood.folder)
    done = run_example(tree, program, "print(1)", copy)
    assert done.returncode == 125 and done.stdout == b""
    assert done.stderr.decode() == "%s: is set-uid, set-gid or has file capabilities (take them away: it needs none)\n" % copy


def test_a_program_that_is_not_there_is_said(hood, tree):
    program = build_example(tree, hood.folder / "run")
    done = run_example(tree, program, "print(1)", "/nowhere/fumehood")
    assert done.returncode == 125 and done.stdout == b""
    assert re.fullmatch(rb"/nowhere/fumehood: cannot be started.*: No such file or directory\n", done.stderr), done.stderr


@pytest.mark.parametrize("name", ["libfumehood.so", "libfumehood.a"])
def test_only_its_own_symbols_are_visible(tree, name):
    header = (tree / "include/fumehood/fumehood.h").read_text()
    promised = set(re.findall(r"FUMEHOOD_API [^;]*?\b(fumehood_\w+)\(", header))
    option = "-D" if name.endswith(".so") else "-g"
    text = subprocess.run(["nm", option, "--defined-only", str(library_folder(tree) / name)], capture_output=True, check=True)
    shown = {line.split()[2].split("@")[0] for line in text.stdout.decode().splitlines() if len(line.split()) == 3}
    assert shown - {"FUMEHOOD_0"} == promised
