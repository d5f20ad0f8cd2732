"""What people type at the front door, and what they are told."""
import json
import os
import subprocess

import pytest

from hood import REPO, Run, expect_refusal, expect_status, need, results_of


def bare_call(hood, env, *words):
    """A call without the policy that the tests' own verbs would add."""
    done = subprocess.run([hood.binary, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, env=env)
    return Run(done.returncode, done.stdout, done.stderr)


# ---------------------------------------------------------------- limits that cannot be enforced


def weak_hood(user_hood):
    """An ordinary user without control groups."""
    done = user_hood.call("run", user_hood.program("exit 0", "sh"))
    need(done.status == 126, "this user has control groups: nothing is refused")
    return user_hood


@pytest.mark.parametrize("options", [
    [], ["--policy", "if-available"], ["--policy", "default"], ["--limit", "cpu_ms=5s", "--limit", "idle_ms=5s"],
    ["--policy", "if-available", "--limit", "memory_bytes=128MiB", "--limit", "cpus=2", "--limit", "processes=9"],
], ids=lambda options: " ".join(options) or "none")
def test_one_switch_softens_everything(user_hood, options):
    hood = weak_hood(user_hood)
    run = hood.shell("echo runs", options=["--if-available", *options])
    expect_status(run, 0)
    assert run.out == b"runs\n"
    limits = run.receipt["limits"]
    assert all(limit.get("if_available") for limit in limits.values()), limits
    assert limits["cpus"]["enforced_by"] == "none" and limits["wall_ms"]["enforced_by"] == "supervisor"


def test_the_switch_is_over_a_policy_file_too(user_hood):
    hood = weak_hood(user_hood)
    policy = hood.file("p.yaml", "name: mine\nlimits:\n  memory_bytes: 64MiB\n  cpus: 2\n  cpu_ms: 3s\n")
    expect_refusal(hood.call("run", "--policy", policy, hood.program("exit 0", "sh")), 126, "memory_bytes", "cpus", "cpu_ms")
    run = hood.shell("exit 0", options=["--policy", policy, "--if-available"])
    expect_status(run, 0)
    assert run.receipt["limits"]["memory_bytes"]["value"] == 64 << 20 and run.receipt["policy"]["name"] == "mine"


def test_a_remedy_is_not_what_was_given(user_hood):
    hood = weak_hood(user_hood)
    for options in ([], ["--policy", "if-available", "--limit", "memory_bytes=128MiB"]):
        line = expect_refusal(hood.call("run", *options, hood.program("exit 0", "sh")), 126, "--if-available goes on without")
        assert "--policy" not in line and len(line) < 400, line
        run = hood.call("run", "--if-available", *options, hood.program("exit 0", "sh"))  # what it says works
        expect_status(run, 0)


def test_what_a_launcher_took_is_softened_too(hood):
    program = hood.program("ulimit -n", "sh")
    words = hood.command("run", program)
    done = subprocess.run(["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh", *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 126 and b"--if-available" in done.stderr, done
    words = hood.command("run", "--if-available", program)
    done = subprocess.run(["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh", *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and done.stdout == b"64\n", done


def test_eval_has_the_switch(user_hood):
    hood = weak_hood(user_hood)
    tasks = hood.file("t.json", '[{"id": "a", "stdin": "", "expect": "x"}]')
    (hood.folder / "c").mkdir()
    (hood.folder / "c").chmod(0o755)
    hood.file("c/a.sh", "echo x")
    words = ["eval", tasks, "--candidates", hood.folder / "c", "--limit", "cpu_ms=5s"]
    assert hood.call(*words, "--out", hood.folder / "o1").status == 3
    expect_status(hood.call(*words, "--if-available", "--out", hood.folder / "o2"), 0)
    assert results_of(hood.folder / "o2")[0]["verdict"] == "pass"


def test_eval_says_that_memory_is_bounded_by_process(user_hood):
    hood = weak_hood(user_hood)
    tasks = hood.file("t.json", json.dumps([{"id": name, "stdin": "", "expect": "x"} for name in "abc"]))
    candidates = hood.file("c.jsonl", "".join('{"task_id": "%s", "solution": "x = bytearray(200 << 20)"}\n' % name for name in "abc"))
    run = hood.call("eval", tasks, "--candidates", candidates, "--if-available", "--limit", "memory_bytes=100MiB", "--out", hood.folder / "o")
    assert run.status == 1 and run.said.count("memory is bounded for each process here") == 1, run
    assert {row["verdict"] for row in results_of(hood.folder / "o")} == {"runtime-error"}


def test_the_switch_changes_the_hash(hood):
    plain, soft = (hood.call("policy", "hash", *more).text for more in ([], ["--if-available"]))
    assert plain != soft
    kept = hood.file("soft.yaml", hood.call("policy", "show", "--if-available").text)
    assert hood.call("policy", "hash", kept).text == soft


# ---------------------------------------------------------------- a user's own default

def with_home(hood, text, mode=0o644, folder=".config/fumehood"):
    path = hood.file("home/%s/policy.yaml" % folder, text, mode)
    env = {key: value for key, value in os.environ.items() if key != "XDG_CONFIG_HOME"}
    return path, dict(env, HOME=str(hood.folder / "home"))


MINE = "name: mine\nlimits:\n  wall_ms: 7s\n  memory_bytes_if_available: 512MiB\n  cpus_if_available: 1\n"


def test_a_users_own_policy_is_the_default(hood):
    path, env = with_home(hood, MINE)
    run = bare_call(hood, env, "run", "--json", hood.program("exit 0", "sh"))
    receipt = json.loads(run.out)
    assert receipt["policy"]["name"] == "mine" and receipt["limits"]["wall_ms"]["value"] == 7000
    assert hood.call("policy", "hash", env=env).text.strip() == receipt["policy"]["sha256"]
    assert "name: mine" in hood.call("policy", "show", env=env).text
    # One that is named wins.
    assert "name: default" in hood.call("policy", "show", "default", env=env).text
    run = hood.call("run", "--json", "--policy", "if-available", hood.program("exit 0", "sh"), env=env)
    assert json.loads(run.out)["policy"]["name"] == "if-available"


def test_xdg_config_home_is_asked_first(hood):
    _, env = with_home(hood, MINE)
    hood.file("xdg/fumehood/policy.yaml", MINE.replace("mine", "other"))
    env["XDG_CONFIG_HOME"] = str(hood.folder / "xdg")
    assert "name: other" in hood.call("policy", "show", env=env).text
    env["XDG_CONFIG_HOME"] = "relative"  # which the XDG rules say to ignore
    assert "name: mine" in hood.call("policy", "show", env=env).text


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_a_default_that_others_may_write_is_refused(hood, mode):
    path, env = with_home(hood, MINE, mode)
    program = hood.program("exit 0", "sh")
    expect_refusal(bare_call(hood, env, "run", program), 2, "policy.yaml", "written by others", "--policy default")
    path.chmod(0o644)
    expect_status(bare_call(hood, env, "run", program), 0)


def test_a_default_of_somebody_else_is_refused(hood):
    need(os.geteuid() == 0, "not root: no file of another user can be made")
    path, env = with_home(hood, MINE)
    os.chown(path, 65534, 65534)
    expect_refusal(bare_call(hood, env, "run", hood.program("exit 0", "sh")), 2, "belongs to another user")


@pytest.mark.parametrize("text", ["", "wrong: 1\n", "limits:\n  wall_ms: never\n"])
def test_a_wrong_default_is_no_default(hood, text):
    path, env = with_home(hood, text)
    program = hood.program("exit 0", "sh")
    expect_refusal(bare_call(hood, env, "run", program), 2, "policy.yaml", "delete it, or name another: --policy default")
    expect_status(bare_call(hood, env, "run", "--policy", "default", program), 0)


def test_the_pages_way_to_an_own_policy_works(hood):
    page = (REPO / "docs/policy.md").read_text().split("## A policy of your own")[1]
    lines = [line.strip()[2:] for line in page.splitlines() if line.startswith("    $ ")][:2]
    _, env = with_home(hood, MINE)
    (hood.folder / "home/.config/fumehood/policy.yaml").unlink()
    env["PATH"] = "%s:/usr/bin:/bin" % os.path.dirname(hood.binary)
    for _ in range(2):
        done = subprocess.run(["sh", "-ec", "\n".join(lines)], env=env, capture_output=True)
        assert done.returncode == 0 and not done.stderr, done
    expect_status(bare_call(hood, env, "run", hood.program("exit 0", "sh")), 0)


def test_a_default_that_is_a_link_to_nowhere_is_not_passed_over(hood):
    path, env = with_home(hood, MINE)
    os.rename(path, "%s.there" % path)
    os.symlink("%s.there" % path, path)
    program = hood.program("exit 0", "sh")
    expect_status(bare_call(hood, env, "run", program), 0)
    os.unlink("%s.there" % path)
    expect_refusal(bare_call(hood, env, "run", program), 2, "policy.yaml", "no such file")
    path.unlink()
    expect_status(bare_call(hood, env, "run", "--if-available", program), 0)


def test_an_unreadable_default_is_not_passed_over(user_hood):
    folder = user_hood.folder / "home/.config/fumehood"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(MINE)
    (folder / "policy.yaml").chmod(0)
    prefix = list(user_hood.prefix)
    user_hood.prefix = [word if not word.startswith("HOME=") else "HOME=%s" % (user_hood.folder / "home") for word in prefix]
    need(user_hood.prefix != prefix, "run by an ordinary user: the home of the tests is not changed")
    run = user_hood.call("policy", "show")
    assert run.status == 2 and "policy.yaml" in run.said, run


# ---------------------------------------------------------------- a command line as people type it

def test_a_command_is_run(hood):
    for words in (["python3", "-c", "import sys; print(sys.argv)", "--json", "--", "x"], ["--", "python3", "-c", "import sys; print(sys.argv)", "--json", "--", "x"]):
        run = hood.call("run", *words)
        assert (run.status, run.out) == (0, b"['-c', '--json', '--', 'x']\n"), run
    assert hood.call("run", "--", "sh", "-c", "echo $((40 + 2)); pwd").out == b"42\n/work\n"
    assert hood.call("run", "--", "/usr/bin/env", "sh", "-c", "exit 7").status == 7
    assert hood.call("run", "ls", "-a", "/work").out == b".\n..\n"
    assert hood.call("run", "/bin/sh", "--", "-c", "echo as before").out == b"as before\n"
    assert hood.call("run", "python3", "--", "-c", "print(1)").out == b"1\n"  # one "--" more does no harm


def test_what_stands_before_is_fumehoods(hood):
    receipt = hood.folder / "r.json"
    run = hood.call("run", "--receipt", receipt, "--env", "A=b c", "--limit", "wall_ms=7s", "--", "sh", "-c", "echo $A")
    assert run.out == b"b c\n", run
    program = json.loads(receipt.read_text())["program"]
    assert program["name"] == "sh" and program["runtime"] == "command" and program["args"] == ["-c", "echo $A"]
    assert os.path.samefile(program["path"], "/bin/sh")
    shell = open("/bin/sh", "rb").read()
    import hashlib
    assert (program["sha256"], program["bytes"]) == (hashlib.sha256(shell).hexdigest(), len(shell))
    assert hood.call("receipt", "verify", receipt).status == 0
    assert "runtime command" in hood.call("receipt", "show", receipt).text


def test_a_file_wins_and_dashes_say_otherwise(hood):
    hood.file("ls", "#!/bin/sh\necho the file\n")
    (hood.folder / "cat").mkdir()
    assert hood.call("run", "ls", cwd=hood.folder).out == b"the file\n"
    assert hood.call("run", "--", "ls", "/work", cwd=hood.folder).out == b""
    assert hood.call("run", "cat", "/etc/passwd", cwd=hood.folder).status == 0  # a folder is no program
    assert hood.call("run", "--", "./ls", cwd=hood.folder).out == b"the file\n"
    hood.file("own.py", "import sys\nprint(sys.argv[1:])")
    assert hood.call("run", "--", "own.py", "a", "--json", cwd=hood.folder).out == b"['a', '--json']\n"
    assert hood.call("run", "--", "own.py", "--", "a", cwd=hood.folder).out == b"['a']\n"
    assert "fumehood run -- ls" in hood.call("run", hood.file("ls", "?").name, cwd=hood.folder).said


def test_the_cages_path_is_what_counts(hood):
    env = dict(os.environ, PATH=str(hood.folder))
    tool = hood.file("mytool", "#!/bin/sh\necho mine\n", 0o755)
    line = expect_refusal(hood.call("run", "--", "mytool", env=env), 127, "nor such a command in the cage's PATH, /usr/local/bin:/usr/bin:/bin")
    assert str(tool) in line and "below /usr" in line
    assert hood.call("run", "--", "sh", "-c", "exit 3", env=env).status == 3  # not the starter's PATH
    assert hood.call("run", "--env", "PATH=/usr/sbin:/sbin", "--", "python3").status == 127
    assert hood.call("run", "--env", "PATH=/nowhere:/usr/bin", "--", "python3", "-c", "print(2)").out == b"2\n"
    assert hood.call("run", "--", str(tool)).out == b"mine\n"  # a file of yours is copied in


def test_a_path_of_the_machines_is_a_command_too(hood):
    hood.file("own.py", "print(1)")
    for words in (["/usr/bin/python3", "-c", "print(3)"], ["/usr/bin/env", "echo", "3"], ["/bin/sh", "-c", "echo 3"],
                  ["/usr/bin/env", "-i", "/bin/echo", "3"], ["/usr/bin/perl", "-e", "print qq(3\n)"]):
        assert hood.call("run", *words).out == b"3\n", words
    assert json.loads(hood.call("run", "/usr/bin/env", "--json").out)["ending"]["kind"] == "exited"  # ours, as before
    expect_refusal(hood.call("run", "./own.py", "-c", "1", cwd=hood.folder), 2, "options of the program stand after --")


def test_a_file_that_is_named_and_not_there_is_told(hood):
    hood.file("h.py", "print(1)")
    hood.file("sub/d.txt", "d")
    own = hood.file("own.py", "import sys\nsys.exit(open(sys.argv[1]).read() != 'd')")
    for words, part in (
            (["python3", "h.py"], "h.py is a file here, not in the cage: add --input h.py"),
            (["--", "sh", "h.py"], "add --input h.py"), (["/usr/bin/python3", "h.py"], "add --input h.py"),
            (["bash", "-c", "cat <h.py"], "add --input h.py"), (["cat", "./h.py"], "add --input ./h.py"),
            (["cat", "sub/d.txt"], "add --input sub/d.txt:sub/d.txt"), (["ls", "sub"], "sub is a folder here"),
            (["cat", hood.folder / "h.py"], "and name it h.py"), ([own, "--", "sub/d.txt"], "sub/d.txt is a file here")):
        run = hood.call("run", *words, cwd=hood.folder)
        assert run.status not in (0, 125, 126, 127) and part in run.said.splitlines()[-1], run
    for words in (["--input", "h.py", "--", "sh", "-c", "python3 h.py; exit 3"], ["sh", "-c", "exit 3"],
                  ["sh", "-c", "exit 3", ".", "/usr", "/tmp", "/etc/passwd"]):
        run = hood.call("run", *words, cwd=hood.folder)
        assert run.status == 3 and "here, not in the cage" not in run.said, run
    run = hood.call("run", "echo", "h.py", cwd=hood.folder)
    assert run.status == 0 and not run.said, run
    run = hood.call("run", "--input", "sub/d.txt:sub/d.txt", own, "--", "sub/d.txt", cwd=hood.folder)
    expect_status(run, 0)


def test_both_limits_of_a_file_are_told(hood):
    write = "f = open('x', 'wb')\nfor i in range(4): f.write(b'x' * 2**20)\nf.close()"
    low = ["--limit", "file_bytes=2M", "--limit", "scratch_bytes=2M"]
    run = hood.call("run", *low, hood.program(write, "py"))
    assert run.status == 122 and "scratch_bytes=SIZE" in run.said and "file_bytes=SIZE" in run.said, run
    run = hood.call("run", "--limit", "file_bytes=2M", hood.program(write, "py"))
    assert run.status == 1 and "file_bytes=SIZE" in run.said, run
    run = hood.call("run", "--limit", "file_bytes=2M", "--", "dd", "if=/dev/zero", "of=x", "bs=1M", "count=4")
    assert run.status == 122 and "file_bytes=SIZE" in run.said and "scratch_bytes" not in run.said, run
    run = hood.call("run", "--limit", "scratch_bytes=2M", hood.program(write, "py"))
    assert "scratch_bytes=SIZE)" in run.said, run
    assert "file_bytes" not in hood.call("run", hood.program("exit 3", "sh")).said


def test_a_crash_hints_at_the_stack(hood):
    assert "--limit stack_bytes=SIZE" in hood.shell("kill -SEGV $$").said
    assert "stack_bytes" not in hood.shell("kill -SEGV $$", options=["--limit", "stack_bytes=unlimited"]).said
    assert "stack_bytes" not in hood.shell("kill -ABRT $$").said


@pytest.mark.parametrize("words", [["nosuch"], ["--", "nosuch"], ["--", "nosuch", "--json"], ["nosuch.py"], ["./nosuch.py"], ["--", "/usr/bin/nosuch"], ["--", "./no/such"]])
def test_what_is_not_there(hood, words):
    expect_refusal(hood.call("run", *words, cwd=hood.folder), 127, "nosuch|no/such")


def test_python_is_python3(hood):
    need(not os.path.exists("/usr/bin/python"), "there is a python below /usr")
    expect_refusal(hood.call("run", "python", "-c", "1"), 127, "did you mean python3")


def test_a_language_without_a_runtime_has_a_way_that_works(hood):
    need(os.path.exists("/usr/bin/cc"), "cc is not installed: no way to compile is told")
    hood.file("hello.c", '#include <stdio.h>\n#include <math.h>\nint main(int n, char **v) { printf("%g\\n", sqrt(n * 4)); return 0; }\n')
    line = expect_refusal(hood.call("run", "hello.c", cwd=hood.folder), 127, "hello.c")
    way = line[line.index("(") + 1:-1]
    assert way.startswith("fumehood run --input hello.c -- "), line
    import shlex
    assert hood.call(*shlex.split(way)[1:], cwd=hood.folder).out == b"2\n"


@pytest.mark.parametrize("name,tool,text", [
    ("H.java", "java", 'class H { public static void main(String[] a) { System.out.println(2); } }'),
    ("h.go", "go", 'package main\nfunc main() { println(2) }'), ("h.ts", "tsc", "const x: number = 2;\nconsole.log(x)"),
    ("h.rs", "rustc", 'fn main() { println!("2"); }')])
def test_other_languages_have_a_way(hood, name, tool, text):
    import shlex
    hood.file(name, text)
    line = expect_refusal(hood.call("run", name, cwd=hood.folder), 127, name, "fumehood run --input %s -- " % name)
    need("install %s" % tool not in line, "%s is not installed below /usr" % tool)
    way = shlex.split(line[line.index("(") + 1:-1])[1:]
    run = hood.call(*way, cwd=hood.folder)
    assert run.status == 0 and "2\n" in run.out.decode() + run.said, run


def test_c_through_a_pipe_has_a_way(hood):
    need(os.path.exists("/usr/bin/cc"), "cc is not installed: no way to compile is told")
    import shlex
    text = b'#include <stdio.h>\nint main(void) { puts("2"); return 0; }\n'
    line = expect_refusal(hood.call("run", "-", stdin=text), 127, "--runtime NAME")
    assert hood.call(*shlex.split(line[line.index("fumehood run --") :-1])[1:], stdin=text).out == b"2\n"


def test_options_of_the_program_are_pointed_to(hood):
    program = hood.program("import sys\nprint(sys.argv[1:])", "py")
    expect_refusal(hood.call("run", program, "-c", "1"), 2, "options of the program stand after --")
    expect_refusal(hood.call("run", program, "1"), 2, "arguments of the program stand after --")


def test_help_has_examples(hood):
    text = hood.call("run", "--help").text
    assert "fumehood run -- python3 -c 'print(1)'" in text and "fumehood run a.py" in text
    limits = json.loads(hood.call("policy", "show", "default", "--json").out)["limits"]
    assert [key for key in limits if "  %s: " % key not in text] == [] and "value_bytes" in limits
    assert all(len(line) < 80 for line in text.splitlines())


def test_a_command_in_the_other_cages(hood):
    for cage in ("slot", "zygote"):
        assert hood.call("run", "--cage", cage, "--", "python3", "-c", "print(3)").out == b"3\n"


# ---------------------------------------------------------------- programs and files that come through pipes

def test_a_program_on_standard_input(hood):
    run = hood.call("run", "--runtime", "python", "-", "--", "a", stdin=b"import sys\nprint(sys.argv[1:], repr(sys.stdin.read()))")
    assert run.out == b"['a'] ''\n", run
    assert hood.call("run", "-", stdin=b"#!/bin/sh\necho script\n").out == b"script\n"
    assert hood.call("run", "-", stdin=open("/bin/true", "rb").read()).status == 0
    given = hood.file("in.txt", "given")
    assert hood.call("run", "--runtime", "sh", "--stdin", given, "-", stdin=b"cat").out == b"given"
    assert hood.call("run", "/dev/stdin", stdin=b"#!/bin/sh\ncat; echo over\n").out == b"over\n"
    expect_refusal(hood.call("run", "--runtime", "sh", "--stdin", "-", "-", stdin=b"cat"), 2, "standard input is the program")
    expect_refusal(hood.call("run", "-", stdin=b"print(1)"), 127, "--runtime NAME")
    expect_refusal(hood.call("run", "--runtime", "sh", "--limit", "scratch_bytes=64KiB", "-", stdin=b"#" * 100000), 2, "scratch_bytes")


def test_a_shells_substitution(hood):
    def bash(text, **more):
        words = hood.command("run")
        return subprocess.run(["bash", "-c", text.replace("RUN", " ".join(words))], capture_output=True, cwd=hood.folder, timeout=30, **more)
    assert bash("RUN --runtime python <(echo 'print(input())')", input=b"typed\n").stdout == b"typed\n"
    assert bash("RUN --input <(echo one):data/x -- cat data/x").stdout == b"one\n"
    assert bash("RUN --stdin <(echo two) -- cat").stdout == b"two\n"
    assert bash("RUN --runtime sh <(sleep 0.3; echo 'echo slow')").stdout == b"slow\n"
    assert bash("RUN --runtime sh <<< 'echo here' -").stdout == b"here\n"
    assert bash("RUN --runtime sh - <<'E'\necho here; cat\nE\n").stdout == b"here\n"


def test_a_policy_through_a_pipe(hood):
    def bash(text, **more):
        return subprocess.run(["bash", "-c", text.replace("HOOD", hood.binary)], capture_output=True, cwd=hood.folder, timeout=30, **more)
    policy = hood.file("p.yaml", MINE)
    kept = hood.call("policy", "hash", policy).out
    for text in ("HOOD policy hash <(cat p.yaml)", "HOOD policy hash - <p.yaml", "cat p.yaml | HOOD policy hash /dev/stdin"):
        assert bash(text).stdout == kept, text
    done = bash("HOOD run --json --policy <(cat p.yaml) -- cat", input=b"own")
    assert json.loads(done.stdout)["policy"]["name"] == "mine" and json.loads(done.stdout)["stdout"]["text"] == "own", done
    done = bash("HOOD run --policy - -- cat <p.yaml")
    assert (done.returncode, done.stdout) == (0, b""), done
    os.mkfifo(hood.folder / "default")  # a word is a built-in policy, whatever lies here
    assert bash("HOOD policy show default").stdout == hood.call("policy", "show", "default").out
    for words in ("--policy - -", "--policy - --stdin - -- cat"):
        assert bash("HOOD run %s <p.yaml" % words).returncode == 2


def test_what_is_typed_has_a_hint(hood):
    import pty
    reads = hood.program("print(input())", "py")
    for words, hinted in (([reads], True), (["--stdin", "/dev/null", reads], False), ([hood.program("exit 0", "sh")], False)):
        master, slave = pty.openpty()
        done = subprocess.run(hood.command("run", *words), stdin=slave, capture_output=True)
        os.close(master), os.close(slave)
        assert (b"passed on with --stdin -" in done.stderr) == hinted, done
    master, slave = pty.openpty()
    os.write(master, b"typed\n\x04")
    done = subprocess.run(hood.command("run", "--stdin", "-", reads), stdin=slave, capture_output=True)
    os.close(master), os.close(slave)
    assert done.stdout == b"typed\n", done  # what it says works


def test_memory_that_is_bounded_by_process_is_said(user_hood):
    hood = weak_hood(user_hood)
    big = hood.program("x = bytearray(200 << 20)\nprint(len(x))", "py")
    run = hood.call("run", "--if-available", "--memory", "100M", big)
    assert run.status == 1 and "memory is bounded for each process here, by rlimit" in run.said, run
    expect_status(hood.call("run", "--if-available", big), 0)
    assert "rlimit" not in hood.call("run", "--if-available", hood.program("exit 3", "sh")).said


def test_nothing_is_read_from_the_null_device(hood):
    assert hood.call("run", "--stdin", "/dev/null", "--", "cat", stdin=b"own").out == b""
    expect_refusal(hood.call("run", "--stdin", "/dev/zero", "--", "true"), 2, "device")


def test_a_receipts_folder_that_is_missing(hood):
    line = expect_refusal(hood.call("run", "--receipt", "/nosuchdir/r", "--", "true"), 2, "mkdir -p /nosuchdir")
    assert "//" not in line


def test_root_without_the_capabilities_for_ids(hood):
    need(os.geteuid() == 0 and os.path.exists("/usr/bin/setpriv"), "not root, or no setpriv")
    words = hood.command("run", "--if-available", hood.program("exit 0", "sh"))
    done = subprocess.run(["setpriv", "--bounding-set", "-all", *words], capture_output=True)
    assert done.returncode == 125 and b"--cap-add SETUID --cap-add SETGID" in done.stderr, done
    done = subprocess.run(["setpriv", "--bounding-set", "-all,+setuid,+setgid", *words], capture_output=True)
    assert done.returncode == 0, done  # what it says works


def test_a_fifo_waits_for_its_writer(hood):
    import threading
    import time
    fifo = hood.folder / "f.sh"
    os.mkfifo(fifo)
    def write():
        time.sleep(0.5)
        fifo.write_text("echo written")
    writer = threading.Thread(target=write)
    writer.start()
    run = hood.call("run", fifo)
    writer.join()
    assert run.out == b"written\n", run


def test_waiting_for_a_program_can_be_ended(hood):
    import signal
    process = subprocess.Popen(hood.command("run", "--runtime", "sh", "-"), stdin=subprocess.PIPE)
    import time
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == -signal.SIGTERM
    process.stdin.close()


def test_any_file_can_be_named(hood):
    for name in ("a:b.txt", "c\\:d", "e\\", "plain", ":", "x:y:z"):
        hood.file(name, name)
    cat = ["--", "sh", "-c", "for f in *; do cat \"$f\"; echo \" $f\"; done"]

    def names(*inputs):
        run = hood.call("run", *[word for text in inputs for word in ("--input", text)], *cat, cwd=hood.folder)
        return run.out.decode() if run.status == 0 else run.said
    assert names("a:b.txt") == "a:b.txt a:b.txt\n"           # all of it is a file, and "a" is none
    assert names("a\\:b.txt:t") == "a:b.txt t\n"
    assert names("plain:p\\:q") == "plain p:q\n"
    assert names("plain:other") == "plain other\n"
    assert names("c\\\\\\:d:t") == "c\\:d t\n"
    assert names("e\\\\:t") == "e\\ t\n"
    assert names("x\\:y\\:z") == "x:y:z x:y:z\n"
    hood.file("a", "short")
    assert names("a:b.txt") == "short b.txt\n"               # now the colon divides, as it always did


def test_a_folder_as_input_says_so(hood):
    for spec in (str(hood.folder), "%s/:x" % hood.folder, ".", "..:x"):
        expect_refusal(hood.call("run", "--input", spec, "--", "true", cwd=hood.folder), 2, "folder", "--input FILE:PATH")


# ---------------------------------------------------------------- the words of other tools

@pytest.mark.parametrize("words,key,value", [
    (["--timeout", "5"], "wall_ms", 5000), (["--timeout=1m"], "wall_ms", 60000), (["--timeout", "0.5"], "wall_ms", 500),
    (["--timeout", "0.5s"], "wall_ms", 500), (["--time-limit", "2"], "wall_ms", 2000), (["--cpu-time", "2"], "cpu_ms", 2000),
    (["--memory", "1G"], "memory_bytes", 1 << 30), (["--memory", "1g"], "memory_bytes", 1 << 30), (["-m", "512m"], "memory_bytes", 512 << 20),
    (["--memory=1.5GiB"], "memory_bytes", 3 << 29), (["--memory", "1GB"], "memory_bytes", 10**9), (["--memory", "536870912"], "memory_bytes", 512 << 20),
    (["--stack", "64M"], "stack_bytes", 64 << 20), (["--limit", "stack=1G"], "stack_bytes", 1 << 30), (["--cpus", "2"], "cpus", 2), (["--pids-limit", "9"], "processes", 9),
    (["--limit", "wall=5"], "wall_ms", 5000), (["--limit", "memory=1G"], "memory_bytes", 1 << 30), (["--limit", "memory_bytes=1G"], "memory_bytes", 1 << 30),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_other_words_that_can_mean_but_one_thing(hood, words, key, value):
    text = hood.call("policy", "show", "--json", *words).text
    limits = json.loads(text)["limits"]
    assert limits.get(key) == value, limits


def test_other_words_of_a_run(hood):
    program = hood.program("import os\nprint(os.environ['A'], input())", "py")
    run = hood.call("run", "--runtime", "python3", "--timeout", "9", "--memory", "1G", "--network", "none", "--net=none", "--no-network", "-i", "--rm", "-e", "A=b", program, stdin=b"c\n")
    assert (run.status, run.out) == (0, b"b c\n"), run
    assert hood.call("run", "--runtime", "js", hood.file("x", "console.log(1)")).status in (0, 127)
    assert hood.call("run", "--stdin", "-", "--", "cat", stdin=b"own").out == b"own"


@pytest.mark.parametrize("words,part", [
    (["--net"], "no network"), (["--net", "host"], "no network"), (["--network", "loopback"], "network: loopback"), (["--allow-net"], "network: loopback"),
    (["--limit", "output=1M"], "stdout_bytes=SIZE"), (["--stack", "64"], "unit"), (["--network", "bridge"], "no network"), (["-v", "a:b"], "--input FILE:PATH"),
    (["--volume=a:b"], "--input"), (["--env-file", "f"], "--env NAME=VALUE"), (["-it"], "no terminal"), (["-w", "/x"], "/work"),
    (["--memory", "512"], "unit"), (["--limit", "memory=512"], "has no unit"), (["--timeout", "never"], "not a number"), (["--timeout", "--json"], "needs a value"),
    (["--memory", "1X"], "unknown unit"), (["--cpus", "0.5"], "fraction"), (["--timeout", "5", "--limit", "wall_ms=3s"], "twice"),
    (["--limit", "wall=5", "--limit", "wall_ms_if_available=3s"], "twice"), (["--ulimit", "nofile=5"], "open_files"), (["--user", "1"], "user"),
    (["--runtime", "c"], "one of python"), (["--runtime", "pyhton"], "one of python"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_other_words_are_pointed_from(hood, words, part):
    run = hood.call("run", *words, hood.program("print(1)", "py"))
    assert run.status in (2, 127) and part in run.said and len(run.said.splitlines()) == 1, run


def test_other_verbs_have_them_where_they_have_limits(hood):
    assert "wall_ms" in hood.call("eval", "t", "--candidates", "c", "--timeout", "x").said
    run = hood.call("doctor", "--timeout", "5")
    assert run.status == 2 and "unknown option --timeout" in run.said


# ---------------------------------------------------------------- doctor's answer

def test_doctor_answers_first(hood):
    run = hood.call("doctor")
    lines = run.text.splitlines()
    assert lines[0].startswith("can run") and 5 < len(lines) <= 24, run
    assert [word for word in ("can run", "languages", "missing", "to mend", "more") if not any(line.startswith(word) for line in lines)] == []
    assert run.text.count("to mend") == 1
    report = json.loads(hood.call("doctor", "--json").out)
    assert (run.status == 0) == report["default_run_possible"] == lines[0].split(None, 2)[2].startswith("yes"), run
    more = hood.call("doctor", "--all").text
    assert len(more.splitlines()) > 100 and "Output" not in more and all(check["name"] in more for check in report["checks"])


def test_doctor_tells_an_ordinary_user_what_to_do(user_hood):
    hood = weak_hood(user_hood)
    run = hood.call("doctor")
    assert run.status == 1 and run.text.startswith("can run     with --if-available: "), run
    assert "--if-available goes on without" in " ".join(run.text.split())


def test_doctor_names_the_emergency_stop(user_hood):
    expect_status(user_hood.call("disable", "--why", "a test"), 0)
    try:
        run = user_hood.call("doctor")
        assert run.status == 1 and run.text.startswith("can run     no: ") and "fumehood enable" in run.text, run
    finally:
        user_hood.call("enable")
