"""selftest.py - every check finds the fault that is put in front of it

Copies what the checks look at, puts in one fault at a time, and wants to see it named.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from common import root

LINT = pathlib.Path(__file__).resolve().parent
UNFINISHED = "TO" + "DO"

# (check, file, what is added at the end or, with a pair, replaced; what must be said)
FAULTS = [
    ("arrows", "src/base/file.c", '#include "cage/cage.h"\n', "base has no arrow to cage"),
    ("arrows", "src/base/file.c", '#include "buf.h"\n', "does not begin with a room"),
    ("arrows", "src/base/file.c", '#include "../policy/policy.h"\n', "does not begin with a room"),
    ("arrows", "src/run/run.h", '#include "receipt/receipt.h"\n', "run has no arrow to receipt"),
    ("arrows", "cmake/rooms.cmake", "room(nowhere USES base)\n", "nothing in nowhere includes it"),
    ("arrows", "cmake/rooms.cmake", "room(ring EXPOSES ring)\n", "a circle: ring -> ring"),
    ("arrows", "ARCHITECTURE.md", ("\npolicy -> base\n", "\npolicy -> base receipt\n"), "policy -> receipt is here and not"),
    ("arrows", "ARCHITECTURE.md", ("\npolicy -> base\n", "\npolicy ->\n"), "policy -> base is in cmake/rooms.cmake and not"),
    ("banner", "src/base/file.c", ("/* file.c - ", "/* other.c - "), 'src/base/file.c:1: does not begin with'),
    ("banner", "src/base/file.h", ("#pragma once\n", ""), "without #pragma once"),
    ("risky", "src/cage/init_child.c", "static void *f(void) { return malloc(1); }\n", "malloc between fork and exec"),
    ("risky", "src/cage/init_child.c", "static void f(void) { (void)snprintf(0, 0, \"\"); }\n", "snprintf between"),
    ("risky", "src/cage/init_child.c", "static void f(void) { AUTO_FREE char *p = 0; }\n", "AUTO_FREE between"),
    ("risky", "src/run/new_untrusted.c", "/* new_untrusted.c - parses */\n", "has no fuzz target"),
    ("risky", "tests/fuzz/fuzz_run_fresh.c", "/* fuzz_run_fresh.c - lines_untrusted.c */\n", "has no seeds"),
    ("banned", "src/base/file.c", "static void f(char *p) { strcpy(p, p); }\n", "strcpy"),
    ("banned", "src/base/file.c", "static int f(char *p) { return atoi (p); }\n", "atoi"),
    ("banned", "src/base/file.c", "static void f(void) { (void)signal(1, f); }\n", "signal"),
    ("banned", "src/cage/plan.c", 'static void f(void) { (void)printf("x"); }\n', "only front doors print"),
    ("banned", "src/cage/plan.c", 'static void f(void) { (void)fprintf(stderr, "x"); }\n', "only front doors print"),
    ("banned", "src/cage/plan.c", "static void f(void) { exit(1); }\n", "only front doors exit"),
    ("banned", "src/cage/plan.c", "static void f(void) { _exit(1); }\n", "processes made for it"),
    ("places", "src/base/file.c", "static int f(const char *p) { return open(p, O_WRONLY | O_CREAT, 0644); }\n", "open: what writes"),
    ("places", "src/receipt/store.c", "static int f(int d) { return openat(d, \"x\",\n    O_RDWR); }\n", "openat: what writes"),
    ("places", "src/front/cli/eval.c", 'static FILE *f(const char *p) { return fopen(p, "we"); }\n', "fopen: what writes"),
    ("places", "src/eval/eval.c", 'static int f(const char *p) { return rename(p, "b"); }\n', "rename: what writes"),
    ("places", "src/run/stop.c", "static int f(const char *p) { return mkdir(p, 0755); }\n", "mkdir: what writes"),
    ("places", "src/run/stop.c", "static int f(const char *p) { return unlink(p); }\n", "unlink: what writes"),
    ("places", "src/run/stop.c", "static int f(const char *p) { return (int)syscall(SYS_renameat2, 0, p, 0, p, 0); }\n", "SYS_renameat2: what"),
    ("places", "src/cage/slot.c", "static int f(const char *p) { return kernel_open(0, p, O_RDWR, 0); }\n", "open: what writes"),
    ("places", "src/cage/slot.c", "static int f(const char *p) { return kernel_mkdir(0, p, 0); }\n", "mkdir: what writes"),
    ("headers", "src/base/file.h", "\nint base_file_new(void);\n", "base_file_new has no comment"),
    ("headers", "src/base/file.h", "\n/* Says it. */\nint file_new(void);\n", "does not begin with base_"),
    ("words", "src/base/file.c", f"/* {UNFINISHED}: later */\n", "is unfinished business"),
    ("words", "docs/tasks.md", "see /work/" + "main/src\n", "is a path of one machine"),
    ("words", "README.md", "https://registry.invalid/x\n", "is a host"),
    ("kernels", "src/cage/kernels.def", ('"6.14"', '"6.15"'), "the table kernels is not"),
    ("kernels", "src/cage/landlock.def", ('"truncation"', '"cutting"'), "the table landlock is not"),
    ("kernels", "docs/kernels.md", ("<!-- features -->", ""), "has no table features"),
    ("threats", "src/threat/threats.def", ("fs-home-secrets ", "fs-home-secret "), "there is no attack fs-home-secret"),
    ("threats", "src/threat/threats.def", (" fs-whiteout", ""), "fs-whiteout/expect.yaml:1: no threat claims"),
    ("threats", "src/threat/threats.def", ('"devices host_view', '"devices uts_ns'), "none of its attacks proves uts_ns"),
    ("threats", "src/threat/threats.def", ("fs-device-nodes", "fs-device-nodes out-bytes"), "out-bytes proves nothing of"),
    ("threats", "src/threat/threats.def", ('"usr-shared", ', '"", '), "fs-lock-tools is known to succeed"),
    ("threats", "src/threat/threats.def", ('"usr-shared"', '"usr-open"'), "the risk usr-open is not in"),
    ("threats", "src/threat/threats.def", ("unit/cage/test_plan", "unit/cage/test_plans"), "there is no test unit/cage/test_plans"),
    ("threats", "src/threat/threats.def", ("::test_cheats_do_not_pass", "::test_cheats"), "there is no test story/test_eval::test_cheats"),
    ("threats", "src/threat/threats.def", ('"unit/run/test_stop', '"", "unit/run/test_stop'), "is not a row that can be read"),
    ("threats", "src/threat/threats.def", ('"sup-exit-*"', '""'), "status-for-truth: nothing proves it"),
    ("threats", "src/threat/threats.def", ('"stop",', '"unbuilt",'), "runaway: claims nothing, and names a proof"),
    ("threats", "docs/threat-model.md", ("## A peer on the network", "## Peers"), "has no heading A peer on the network"),
    ("threats", "docs/threat-model.md", ("`new-chain`", "that"), "does not speak of new-chain"),
    ("threats", "docs/threat-model.md", "`fs-not-there`\n", "there is no attack fs-not-there"),
    ("threats", "docs/drill.md", "`kern-not-*`\n", "there is no attack kern-not-*"),
    ("threats", "SECURITY.md", ("`disk-reads`", "that"), "does not speak of disk-reads"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\n", "is not ID, WHERE"),
    ("corpus", "attacks/corpus.tsv", "fs-deep-tree\tlater:artifact\n", "fs-deep-tree stands twice"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\tfs-not-there\n", "there is no attack fs-not-there"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\tfs-devices\n", "fs-devices does not have it"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\tstory/test_cage.py::test_nothing\n", "there is no test story/test_cage.py::"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\tunit/cage/test_nothing.c\n", "there is no test unit/cage/test_nothing.c"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\trisk:bad-luck\n", "the risk bad-luck is not in"),
    ("corpus", "attacks/corpus.tsv", "fs-new-row\tlater:never\n", "never is no part"),
    ("corpus", "attacks/fs-devices/expect.yaml", ("covers: [", "covers: [fs-new-row, "), "fs-new-row is no row of corpus.tsv"),
    ("corpus", "attacks/fs-devices/expect.yaml", ("covers: [", "covers: [own, "), "or is [own]"),
    ("format", "src/base/file.c", "static int f( void ){return 1;}\n", "src/base/file.c"),
]

# What must not be called a fault.
FINE = [
    ("banned", "src/base/file.c", '/* strcpy(a, b), printf("x") */ static const char *s = "system(1) exit(2) stdout";\n'),
    ("banned", "src/base/file.c", "static void f(void) { (void)signal(13, SIG_IGN); }\n"),
    ("places", "src/base/file.c", "static int f(const char *p) { return open(p, O_RDONLY); }\n"),
    ("places", "src/front/cli/eval.c", 'static FILE *f(const char *p) { return fopen(p, "re"); }\n'),
    ("places", "src/eval/eval.c", "/* open(p, O_WRONLY), mkdir(p, 0755) */\n"),
    ("risky", "src/cage/init_child.c", "/* no malloc() here, and no printf() */\n"),
    ("headers", "src/base/file.h", "\n/* Both. */\nint base_file_one(void);\nint base_file_two(void);\n"),
]


def copy(top, to):
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("src", "include", "examples", "tests", "cmake", "docs", "attacks"):
        shutil.copytree(top / name, to / name, ignore=ignore)
    for name in ("ARCHITECTURE.md", "README.md", "SECURITY.md", ".clang-format"):
        if (top / name).exists():
            shutil.copy(top / name, to / name)


def put_in(path, change):
    """Returns what stood there, None for nothing."""
    before = path.read_text() if path.exists() else None
    if isinstance(change, tuple):
        assert change[0] in before, f"{path} does not hold {change[0]!r} any more"
        path.write_text(before.replace(*change, 1))
    else:
        path.write_text((before or "") + change)
    return before


def run(check, top):
    result = subprocess.run([sys.executable, LINT / f"{check}.py", top], capture_output=True, text=True, check=False,
                            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return result.returncode, result.stdout + result.stderr


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="fumehood-lint-") as name:
        top = pathlib.Path(name)
        copy(root(), top)
        before = {check: run(check, top) for check in sorted({row[0] for row in FAULTS})}
        for check, file, change, words in FAULTS:
            if before[check][0] == 77:
                print(f"SKIPPED: {check}: {before[check][1].strip()}")
                continue
            old = put_in(top / file, change)
            status, said = run(check, top)
            # the copy may have faults of its own: what is looked for must be new
            if status != 1 or said.count(words) <= before[check][1].count(words):
                print(f"{check} does not find in {file}: {change!r}\n  status {status}, wanted: {words}")
                failures += 1
            (top / file).unlink() if old is None else (top / file).write_text(old)
        for check, file, change in FINE:
            old = put_in(top / file, change)
            said = run(check, top)[1]
            if said != before[check][1] and len(said.splitlines()) > len(before[check][1].splitlines()):
                print(f"{check} finds a fault in {file}: {change!r}\n{said}")
                failures += 1
            (top / file).write_text(old)
    print(f"{len(FAULTS) + len(FINE)} tried, {failures} missed")
    sys.exit(1 if failures else 0)


main()
