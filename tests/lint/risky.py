"""risky.py - files with risky names keep their promises

*_child.c      runs between fork and exec: nothing that allocates, locks, or uses stdio
*_untrusted.c  parses foreign bytes: has a fuzz target of its name, or one that names it, with seeds
"""
import re

from common import Faults, code_of, files, line_of, room_of, root

NOT_AFTER_FORK = re.compile(
    r"\b(malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|vasprintf|getline|"
    r"v?s?n?printf|v?[fd]printf|perror|puts|putchar|fputs|fputc|fwrite|fread|fopen|fdopen|fclose|fflush|fscanf|sscanf|"
    r"opendir|readdir|closedir|getenv|setenv|unsetenv|putenv|getpwnam|getpwuid|getgrnam|getaddrinfo|dlopen|syslog|"
    r"openlog|strerror|strsignal|localtime|gmtime|mktime|strftime|setlocale|qsort|exit|abort|atexit|pthread_\w+|"
    r"base_(?:buf|doc|err|file|json|lines|random)_\w+|AUTO_(?:BUF|DOC|FREE|FCLOSE|JSON))\b(?=\s*\(|)")
ALLOWED_WORDS = {"base_err"}


def check_child(path, faults):
    code = code_of(path.read_text())
    for match in NOT_AFTER_FORK.finditer(code):
        called = code[match.end():].lstrip().startswith("(")
        if called or match.group().startswith("AUTO_"):
            faults.add(path, line_of(code, match.start()), f"{match.group()} between fork and exec")


def check_untrusted(path, top, fuzzers, faults):
    room, stem = room_of(path, top).replace("/", "_"), path.stem.removesuffix("_untrusted")
    targets = [fuzzer for fuzzer in fuzzers
               if fuzzer.name == f"fuzz_{room}_{stem}.c" or path.name in fuzzer.read_text()]
    if not targets:
        faults.add(path, 1, f"has no fuzz target: neither tests/fuzz/fuzz_{room}_{stem}.c nor one that names it")
    for target in targets:
        seeds = top / "tests/fuzz/corpus" / target.stem.removeprefix("fuzz_")
        if not seeds.is_dir() or not any(seeds.iterdir()):
            faults.add(target, 1, f"has no seeds in {seeds.relative_to(top)}")
        if "LLVMFuzzerTestOneInput" not in target.read_text():
            faults.add(target, 1, "does not define LLVMFuzzerTestOneInput")


def main():
    top = root()
    faults = Faults(top)
    fuzzers = files(top / "tests/fuzz", "fuzz_*.c")
    for path in files(top / "src", "*_child.c"):
        faults.looked_at += 1
        check_child(path, faults)
    for path in files(top / "src", "*_untrusted.c"):
        faults.looked_at += 1
        check_untrusted(path, top, fuzzers, faults)
    faults.end()


main()
