"""test_docs.py - what README.md and docs/ say can be done, done; what they name, there"""
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

import hood as story

PAGES = [story.REPO / "README.md", story.REPO / "SECURITY.md", story.REPO / "ARCHITECTURE.md",
         *sorted((story.REPO / "docs").glob("*.md"))]
NAMED = [pytest.param(page, id=page.name) for page in PAGES]
VERBS_OF_SUBJECTS = ("policy", "receipt")


def blocks(page):
    """(first line's number, kind, lines) of each block of code: fenced, or indented by four."""
    lines, found, number = page.read_text().splitlines(), [], 0
    while number < len(lines):
        fence = re.match(r"\s*```(\w*)$", lines[number])
        start = number
        if fence:
            number += 1
            while not re.match(r"\s*```$", lines[number]):
                number += 1
            found.append((start + 2, fence[1] or "drawing", lines[start + 1:number]))
        elif lines[number].startswith("    ") and not lines[max(0, number - 1)].strip():
            while number < len(lines) and (lines[number].startswith("    ") or not lines[number].strip()):
                number += 1
            found.append((start + 1, "", [line[4:] for line in lines[start:number]]))
            number -= 1
        number += 1
    return found


def logical_lines(lines):
    """Lines, with those that end in a backslash put together."""
    return re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines()


def commands_of_text(line):
    """The words of each fumehood in one line of shell, without comments and redirections."""
    line = re.split(r"\s#\s", line.removeprefix("$ "))[0]
    for part in re.split(r"\|\|?|&&|;", line):
        words = re.sub(r"\d?[<>]+\s*\S+", "", part).split()
        places = [n for n, word in enumerate(words) if os.path.basename(word) == "fumehood"]
        if places and words[places[0] + 1:]:
            yield words[places[0] + 1:]


def commands(page):
    """Every fumehood command of the page: of its blocks, and in backquotes."""
    for _, kind, lines in blocks(page):
        if kind in ("", "sh", "console"):
            for line in logical_lines(lines):
                yield from commands_of_text(line)
    for text in re.findall(r"`(fumehood [^`]+)`", re.sub(r"\s*\n\s*", " ", page.read_text())):
        for words in commands_of_text(text.replace("\\|", "|")):
            if help_of(*verb_of(words) or ["none"]):  # else a name in a table, or a verb for nobody
                yield words


@functools.lru_cache(maxsize=None)
def help_of(*verb):
    done = subprocess.run([story.BINARY, *verb, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30)
    return done.stdout if done.returncode == 0 else None


def verb_of(words):
    """("policy", "show"), or a verb alone; None for a word that stands for others, such as VERB."""
    if not re.fullmatch(r"[a-z-]+", words[0]) or words[0].startswith("-"):
        return None
    if words[0] in VERBS_OF_SUBJECTS and len(words) > 1 and re.fullmatch("[a-z]+", words[1]):
        return tuple(words[:2])
    return (words[0],)


@pytest.mark.parametrize("page", NAMED)
def test_every_verb_and_option_is_one(page):
    wrong, seen = [], 0
    for words in commands(page):
        verb = verb_of(words)
        if verb is None or verb[0] in ("version", "help"):
            continue
        text = help_of(*verb)
        if text is None:
            wrong.append("no such verb: %s" % " ".join(words))
            continue
        seen += 1
        before_program = words[:words.index("--")] if "--" in words else words
        for word in before_program[len(verb):]:
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", word):
                if not re.search(re.escape(option) + r"(?![\w-])", text):
                    wrong.append("%s is no option of %s: %s" % (option, " ".join(verb), " ".join(words)))
    assert not wrong, "\n".join(wrong)


def test_enough_is_looked_at():
    assert sum(1 for page in PAGES for _ in commands(page)) > 60


@pytest.mark.parametrize("page", NAMED)
def test_every_link_leads_somewhere(page):
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            wrong.append("%s is not there" % target)
        elif anchor and file.suffix == ".md":
            heads = [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
                     for head in re.findall(r"^#+ (.+)$", file.read_text(), re.M)]
            if anchor not in heads:
                wrong.append("%s has no such heading" % target)
    assert not wrong, "\n".join(wrong)


def paths_named(page):
    """Files of the source that the page names in backquotes."""
    for word in re.findall(r"`((?:src|tests|scripts|docs|examples|attacks|runtimes|profiles|bench|cmake|include)/[\w./-]+)`", page.read_text()):
        yield word.rstrip("/.")


@pytest.mark.parametrize("page", NAMED)
def test_every_file_of_the_source_is_there(page):
    rooms = {path for path in paths_named(page) if not (story.REPO / path).exists() and not list(story.REPO.glob("src/" + path + "*"))}
    assert not rooms, rooms


# ---------------------------------------------------------------- policies

def test_every_key_is_documented_and_every_documented_key_is_one(hood):
    text = (story.REPO / "docs/policy.md").read_text()
    policy = json.loads(hood.call("policy", "show", "--json").out)
    keys = set(policy) | set(policy["limits"])
    documented = set(re.findall(r"^\| `([a-z_]+)` \|", text, re.M))
    assert keys <= documented, "not documented: %s" % (keys - documented)
    for key in sorted(documented - keys):
        file = hood.file("try.yaml", "%s: 1\n" % key)
        said = hood.call("policy", "check", file).said
        assert "unknown" not in said and "not known" not in said, "%s is no key: %s" % (key, said)


def policies():
    """Each that is shown; of one that shows a key again, for something else, each key by itself."""
    for page in PAGES:
        for number, kind, lines in blocks(page):
            text = "\n".join(lines) + "\n"
            keys = re.findall(r"^(\w+):", text, re.M)
            if kind != "yaml" or not {"limits", "denials", "syscalls", "network", "observe", "environment"} & set(keys) or "group" in keys:
                continue
            parts = [text] if len(keys) == len(set(keys)) else re.split(r"^(?=\w)", text, flags=re.M)[1:]
            for part in parts:
                yield pytest.param(part, id="%s:%d-%d" % (page.name, number, text.index(part)))


@pytest.mark.parametrize("text", policies())
def test_a_policy_that_is_shown_is_right(hood, text):
    run = hood.call("policy", "check", hood.file("shown.yaml", text))
    assert run.status == 0 or "cannot be enforced" in run.said, run


def test_every_program_has_the_documented_environment(hood):
    """What docs/policy.md says of all programs."""
    text = (story.REPO / "docs/policy.md").read_text()
    sentence = re.search(r"Every program has (.*?), and what its runtime", text, re.S)[1]
    pairs = dict(word.split("=", 1) for word in re.findall(r"`([A-Z_]+=[^`]*)`", sentence))
    assert len(pairs) >= 4
    run = hood.shell("cat /proc/$$/environ | tr '\\0' '\\n'")
    assert set("=".join(pair) for pair in pairs.items()) <= set(run.text.splitlines()), run


# ---------------------------------------------------------------- sessions that a reader repeats

FILES = {"greet.py": "import sys\nprint('hello', *sys.argv[1:])\n", "in.txt": "1 2 3\n", "rows.csv": "a,b\n1,2\n",
         "count.py": "import os\nprint(os.path.exists('/work/rows.csv') or os.path.exists('/work/data/a.csv'))\n",
         "a.c": "#include <stdio.h>\nint main(void) { puts(\"made there\"); return 0; }\n", "a.py": "print('from a pipe')\n",
         "strict.yaml": "limits:\n  wall_ms: 5s\n"}


def session(page):
    """(command, output) in the order of the page, of the lines that begin with a dollar sign."""
    found = []
    for _, kind, lines in blocks(page):
        if kind not in ("", "sh", "console"):
            continue
        waiting, first = None, len(found)
        for line in lines:
            if waiting is not None:  # a here-document
                found[-1][0] += "\n" + line
                if line == waiting:
                    waiting = None
            elif line.startswith("$ "):
                found.append([line[2:], []])
                end = re.search(r"<<'?(\w+)'?", line)
                waiting = end[1] if end else None
            elif len(found) > first and found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + line
            elif len(found) > first and line.strip():
                found[-1][1].append(line)
    return found


def alike(shown, seen):
    """Is it the output that is shown? A line `...` stands for any lines, `, ...` for the rest of one, and figures and hashes
    for others; empty lines do not count."""
    def plain(line):
        return re.sub(r"\b[0-9a-f]{32,64}\b|\d+", "N", line.strip())
    pattern = ""
    for line in shown:
        start = re.escape(plain(line)) if not line.endswith(", ...") else ""
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else (start or ".*, .*") + r"\n"
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in seen if line.strip())) is not None


def test_the_first_session(hood):
    """README.md's, as a reader types it, in a folder of its own instead of /tmp."""
    story.need_groups()
    for name, text in FILES.items():
        hood.file(name, text)
    hood.file("policy.yaml", "limits:\n  wall_ms: 5s\n")
    steps = session(story.REPO / "README.md")
    assert len(steps) > 10
    for command, shown in steps:
        command = command.replace("build/release/fumehood", shlex.quote(str(story.BINARY)))
        command = re.sub(r"curl https?://\S+/", "cat /tmp/", command)  # what a network would give
        command = command.replace("/tmp/", shlex.quote(str(hood.folder)) + "/").replace("--policy strict.yaml", "--policy %s/strict.yaml" % hood.folder)
        done = subprocess.run(["sh", "-c", command], cwd=story.REPO, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        refused = done.returncode in (2, 125, 126, 127)
        assert not refused, "%s\n%s" % (command, done.stdout)
        if shown:
            assert alike(shown, done.stdout.splitlines()), "%s\n%s\nshown:\n%s" % (command, done.stdout, "\n".join(shown))


# ---------------------------------------------------------------- the library

def test_the_librarys_lines(hood):
    """docs/library.md's first ones, where cmocka is not installed. That they end in a program that links and runs is tried in
    a bare root (test_setup.py)."""
    story.need(b"__asan_init" not in story.BINARY.read_bytes(), "a build with sanitizers has no library")
    for tool in ("cmake", "ninja", "cc", "pkg-config"):
        story.need(shutil.which(tool), tool + " is not installed: the library's lines are not tried")
    tree = shutil.copytree(story.REPO, hood.folder / "tree", symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
    lines = [line for _, kind, lines in blocks(story.REPO / "docs/library.md") for line in lines if "cmake --preset" in line]
    configure = lines[0].split(" && ")[0].replace("=PREFIX", "=" + shlex.quote(str(hood.folder / "prefix")))
    done = subprocess.run(configure + " -DLIB_cmocka=OFF", shell=True, cwd=tree, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    cache = (tree / "build/release/CMakeCache.txt").read_text()
    assert "FUMEHOOD_TESTS:BOOL=OFF" in cache and "CMAKE_INSTALL_PREFIX:PATH=%s/prefix" % hood.folder in cache
