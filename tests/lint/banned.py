"""banned.py - functions that are not used here, and who may print and exit

What is compiled into the build's own tools (folders make/) is not looked at.
"""
import re

from common import Faults, code_of, files, line_of, room_of, root

BANNED = {
    "strcpy stpcpy strcat sprintf vsprintf gets": "does not know how much room there is",
    "strtok": "keeps state; use strsep",
    "atoi atol atoll atof strtol strtoul strtoll strtoull strtoimax strtoumax strtod strtof strtold":
        "takes a part for a whole; use base/units.h",
    "system popen": "starts a shell",
    "mktemp tmpnam tempnam tmpfile": "guesses a name",
    "localtime localtime_r ctime asctime": "depends on where it runs; time is UTC",
    "signal sigset": "means something else everywhere, but for SIG_IGN and SIG_DFL; use signalfd or sigaction",
    "alloca": "takes stack without a limit",
    "rand srand random srandom": "is no randomness; use base_random_hex",
    "getpwnam getpwuid getgrnam getgrgid getaddrinfo gethostbyname dlopen": "needs shared libraries at run time",
}
REASONS = {name: reason for names, reason in BANNED.items() for name in names.split()}
CALL = re.compile(r"(?<![\w.>])(" + "|".join(REASONS) + r")\s*\(")
IGNORING = re.compile(r"signal\s*\(\s*[^,()]+(\[\w+\])?\s*,\s*SIG_(IGN|DFL)\s*\)")
EXCEPTIONS = {  # (file, function): digits that were written or checked by that file itself
    ("src/base/json.c", "strtod"), ("src/base/json.c", "strtol"), ("src/judge/value.c", "strtod")}
PRINT = re.compile(r"(?<![\w.>])(printf|vprintf|puts|putchar|perror|dprintf|vdprintf|err|errx|warn|warnx|syslog)\s*\(|"
                   r"(?<![\w.>])(stdout|stderr)\b(?!\s*[=:]\s)")
EXIT = re.compile(r"(?<![\w.>])(exit|quick_exit)\s*\(")
EXIT_CHILD = re.compile(r"(?<![\w.>])(_exit|_Exit)\s*\(")


def may_end(path):
    """Whose process it is may end it: a child that was forked for that."""
    return path.name.endswith("_child.c") or str(path).endswith(("src/engine/worker.c", "src/zygote/python.c"))


def main():
    top = root()
    faults = Faults(top)
    for path in files(top / "src", "*.c", "*.h"):
        if "make" in path.relative_to(top).parts:
            continue
        faults.looked_at += 1
        code, front = code_of(path.read_text()), room_of(path, top).startswith("front")
        for match in CALL.finditer(code):
            known = (str(path.relative_to(top)), match.group(1)) in EXCEPTIONS
            if not known and not IGNORING.match(code, match.start()):
                faults.add(path, line_of(code, match.start()), f"{match.group(1)}: {REASONS[match.group(1)]}")
        interpreter = room_of(path, top) == "zygote"  # which prints, and ends, as such
        rules = [] if front or interpreter else [(PRINT, "only front doors print")]
        if not front and not interpreter:
            rules.append((EXIT, "only front doors exit"))
        if not front and not may_end(path):
            rules.append((EXIT_CHILD, "only processes made for it end themselves (*_child.c, engine/worker.c, zygote/python.c)"))
        for pattern, why in rules:
            for match in pattern.finditer(code):
                faults.add(path, line_of(code, match.start()), f"{match.group().strip('( ')}: {why}")
    faults.end()


main()
