"""What goes in, what comes out, and with which status."""
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading

import pytest

from hood import *

EVERY_BYTE = bytes(range(256)) * 3 + b"\xff\xfe\x00\xc3\x28 \xe2\x82" + b"no newline at the end"
COPY = "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())\n"


def test_stdin_and_stdout_are_byte_exact(hood):
    run = expect_status(hood.python(COPY, stdin=EVERY_BYTE), 0)
    assert run.out == EVERY_BYTE and run.err == b""
    expect_ending(run, "exited", exit_code=0, signal=None, limit=None)
    stream = run.receipt["stdout"]
    assert stream["bytes"] == stream["kept_bytes"] == len(EVERY_BYTE) and not stream["truncated"]
    assert stream["sha256"] == hashlib.sha256(EVERY_BYTE).hexdigest()
    import base64
    assert stream["utf8"] is False and base64.b64decode(stream["base64"]) == EVERY_BYTE


def test_a_megabyte_of_stdin_arrives(hood):
    data = os.urandom(1 << 19)
    run = hood.python(COPY, stdin=data)
    assert run.out == data


def test_stdin_from_a_file(hood):
    data = hood.file("in.bin", b"\x00one\xfftwo")
    assert hood.python(COPY, options=["--stdin", data], stdin=b"not this").out == b"\x00one\xfftwo"


@pytest.mark.parametrize("kind", ["fresh", "slot", "zygote"])
def test_no_input_is_an_empty_file(hood, kind):
    """What services, cron and tests have as their stdin: nothing can come any more."""
    source = "import os, stat, sys\nst = os.fstat(0)\nprint(stat.S_ISREG(st.st_mode), st.st_size, sys.stdin.seekable(), sys.stdin.read())"
    process = hood.start(hood.program(source, "py"), options=["--cage", kind], stdin=subprocess.DEVNULL)
    assert finish(process, 20).out == b"True 0 True \n"


def test_stdin_that_nobody_reads_is_no_trouble(hood):
    expect_status(hood.python("print('early')", stdin=b"x" * (1 << 20)), 0)


def test_stdin_that_never_ends_does_not_delay_the_end(hood):
    read, write = os.pipe()
    try:
        process = hood.start(hood.program("print('done')", "py"), stdin=read)
        assert finish(process, 20).out == b"done\n"
    finally:
        os.close(read)
        os.close(write)


# ---------------------------------------------------------------- the names of the streams

NAMES = """
import os, sys
def names(number, word): return ["/dev/" + word, "/dev/fd/%d" % number, "/proc/self/fd/%d" % number, "/proc/thread-self/fd/%d" % number]
def refused(path, flags):
    try: os.open(path, flags)
    except PermissionError: return True
print([open(path).read() for path in names(0, "stdin")[:int(sys.argv[1])]])
print([refused(path, flags) for path in names(0, "stdin") for flags in (os.O_WRONLY, os.O_RDWR)])
sys.stdout.flush()
for number, word in (1, "stdout"), (2, "stderr"):
    for path in names(number, word):
        with open(path, "w") as file: file.write(word + " ")
        with open(path, "a") as file: file.write(word + " ")
print([refused(path, flags) for path in names(1, "stdout") + names(2, "stderr") for flags in (os.O_RDONLY, os.O_RDWR)])
"""


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
@pytest.mark.parametrize("way", ["file", "own", "pipe"])
@pytest.mark.parametrize("who", ["hood", "user_hood"])
def test_each_stream_opens_by_its_names_in_its_own_direction(request, who, way, cage):
    """Whoever started it. A file stays where it is for who opens it again; a pipe is empty after the first."""
    hood = request.getfixturevalue(who)
    given = hood.file("given", "text")
    options = ["--cage", cage] + (["--policy", "if-available"] if hood.prefix else [])
    words = ["--stdin", given] if way == "file" else []
    with open(given) as own:
        more = {"stdin": own} if way == "own" else {"input": b"text" if way == "pipe" else b""}
        program = hood.program(NAMES, "py")
        done = subprocess.run(hood.command("run", *options, *words, program, "--", "1" if way == "pipe" else "4"),
                              capture_output=True, timeout=60, **more)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done
    assert lines[0] == str(["text"] * (1 if way == "pipe" else 4)) and lines[1] == str([True] * 8), done
    assert lines[2] == "stdout " * 8 + str([True] * 16), done
    assert done.stderr == b"stderr " * 8, done
    assert given.read_text() == "text"


@pytest.mark.parametrize("who", ["hood", "user_hood"])
def test_tools_that_name_the_streams(request, who):
    hood = request.getfixturevalue(who)
    options = ["--policy", "if-available"] if hood.prefix else []
    run = hood.shell("cat /dev/stdin; echo both | tee /dev/stderr; echo a >/dev/stdout; echo b >>/dev/fd/2; cat </proc/self/fd/0\n",
                     stdin=b"text\n", options=options)
    assert (run.status, run.out, run.err) == (0, b"text\nboth\na\n", b"both\nb\n"), run


KNOWN = """
import mmap, os, stat
def refused(call, *words):
    try: call(*words)
    except OSError: return True
mode = os.fstat(0).st_mode
print(stat.S_ISREG(mode), os.fstat(0).st_size, os.lseek(0, 0, os.SEEK_CUR), os.read(0, os.fstat(0).st_size))
print(os.lseek(0, -3, os.SEEK_END), os.read(0, 9), os.lseek(0, 0, 0), mmap.mmap(0, 0, prot=mmap.PROT_READ)[:], os.pread(0, 2, 1))
private = mmap.mmap(0, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE); private[0] = 65; print(private[:2])
print([refused(*what) for what in ((os.write, 0, b"x"), (os.ftruncate, 0, 0), (os.ftruncate, 0, 99), (mmap.mmap, 0, 0), (os.open, "/dev/stdin", os.O_WRONLY))])
print(input(), open("/dev/stdin").read(1))
"""


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_input_that_is_known_is_a_file(hood, cage):
    """It can be sought, mapped and measured, and nobody can change it: neither it nor what it was taken from."""
    given = hood.file("given", "a\nbcdef")
    run = hood.python(KNOWN, options=["--cage", cage, "--stdin", given])
    assert run.status == 0, run
    assert run.text.splitlines() == ["True 7 0 b'a\\nbcdef'", "4 b'def' 0 b'a\\nbcdef' b'\\nb'", "b'A\\n'",
                                     "[True, True, True, True, True]", "a a"], run
    assert given.read_text() == "a\nbcdef"


def test_input_of_a_task_is_a_file(hood):
    tasks = hood.file("tasks.jsonl", json.dumps({"id": "t", "prompt": "", "stdin": "a\nb", "expect": "3 b"}))
    code = "import os\nos.lseek(0, 2, 0)\nprint(os.fstat(0).st_size, open('/dev/stdin').read()[2:])\n"
    candidates = hood.file("c.jsonl", json.dumps({"task_id": "t", "solution": code}))
    assert expect_status(hood.call("eval", tasks, "--candidates", candidates, "--out", hood.folder / "out"), 0)


def test_input_beyond_the_limit_ends_the_run_and_one_that_is_too_large_for_memory_comes_through_a_pipe(hood):
    given = hood.file("given", b"x" * 5000)
    run = hood.python("import sys, time\nsys.stdin.read()\ntime.sleep(30)\n", options=["--stdin", given, "--limit", "stdin_bytes=4999"])
    expect_status(expect_ending(run, "limit", limit="input"), 122)
    with open(given, "ab") as file:
        file.truncate((64 << 20) + 1)
    run = hood.python("import os, stat, sys\nprint(stat.S_ISFIFO(os.fstat(0).st_mode))\nn = 0\n"
                      "while block := os.read(0, 1 << 20): n += len(block)\nprint(n)\n",
                      options=["--stdin", given, "--limit", "stdin_bytes=65MiB"])
    assert run.text == "True\n%d\n" % ((64 << 20) + 1), run


def test_who_reads_on_after_it_reads_on_where_it_has_stopped(hood):
    """As if it had read the file itself: a loop that reads a list and runs a program for each line."""
    command = " ".join(map(str, hood.command("run", hood.program("read -r a; read -r b; echo $a$b", "sh"))))
    quiet = " ".join(map(str, hood.command("run", hood.program("exit 0", "sh"))))
    rows = hood.file("rows", "1\n2\n3\n4\n5\n")
    done = subprocess.run(["sh", "-c", "read -r a; echo $a; %s; %s; cat" % (command, quiet)], stdin=open(rows), capture_output=True, timeout=60)
    assert done.stdout == b"1\n23\n4\n5\n", done


def test_input_that_the_kernel_makes_up(hood):
    """Such files say that they are empty, and are not."""
    run = hood.python(COPY, options=["--stdin", "/proc/version"])
    assert run.out == open("/proc/version", "rb").read(), run


def test_stdout_and_stderr_are_separate(hood):
    run = hood.python(r"""
import os
os.write(1, b'out\x00\xff'); os.write(2, b'err\x00\xfe'); os.write(1, b'again')
""")
    assert (run.status, run.out, run.err) == (0, b"out\x00\xffagain", b"err\x00\xfe")


def test_output_comes_as_it_is_written(hood):
    process = hood.start(hood.program("import time\nprint('first', flush=True)\ntime.sleep(3)\nprint('second')", "py"))
    began = time.monotonic()
    assert process.stdout.readline() == b"first\n"
    assert time.monotonic() - began < 2.5
    assert finish(process).out == b"second\n"


def test_the_last_bytes_are_not_lost(hood):
    for _ in range(10):
        run = hood.python("import os\nos.write(1, b'z' * 65536)\nos._exit(3)")
        assert (run.status, len(run.out)) == (3, 65536)


@pytest.mark.parametrize("status", [0, 1, 2, 42, 122, 124, 125, 126, 127, 128, 137, 255])
def test_exit_status_passes_through(hood, status):
    run = expect_status(hood.shell("exit %d" % status), status)
    expect_ending(run, "exited", exit_code=status, signal=None, limit=None)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGABRT, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_death_by_signal(hood, number):
    run = hood.python("import os\nprint('x', flush=True)\nos.kill(os.getpid(), %d)" % number)
    assert run.out == b"x\n"
    expect_status(run, 128 + number)
    expect_ending(run, "signaled", signal=int(number), exit_code=None, limit=None)


def test_arguments(hood):
    run = hood.python("import sys\nprint(sys.argv[1:])", "a b", "--json", "", "-x", "ü", "--")
    assert run.text == "['a b', '--json', '', '-x', 'ü', '--']\n"


def test_environment_is_the_fixed_one(hood):
    unkind = dict(os.environ, SECRET_TOKEN="s3cret", LD_PRELOAD="", PYTHONSTARTUP="/tmp/x")
    source = hood.compile('#include <stdio.h>\nint main(int c,char**v,char**e){for(;*e;e++)puts(*e);return 0;}')
    run = hood.run(source, marked=False, env=unkind)
    found = dict(line.split("=", 1) for line in run.text.splitlines())
    assert set(found) == {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM"}, found
    assert found["TZ"] == "UTC" and found["TERM"] == "dumb"
    assert all(part.startswith("/usr") or part in ("/bin", "/sbin") for part in found["PATH"].split(":")), found["PATH"]


def test_environment_of_an_interpreter(hood):
    run = hood.shell("env", marked=False, env=dict(os.environ, SECRET_TOKEN="s3cret"))
    names = {line.split("=", 1)[0] for line in run.text.splitlines()}
    assert {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM"} <= names <= {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM", "PWD", "SHLVL", "_", "OLDPWD"}
    assert "s3cret" not in run.text


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_the_order_of_a_set_is_always_the_same(hood, cage):
    """Whatever the cage; and who asks for another order, or for chance, has it."""
    source = "import os, sys\nprint(list({'a', 'b', 'c', 'd', 'e'}), hash('a'), os.environ['PYTHONHASHSEED'], sys.dont_write_bytecode)\n"
    program = hood.program(source, "py")
    bare = subprocess.run(["/usr/bin/python3", "-B", program], capture_output=True, text=True, env={"PYTHONHASHSEED": "0"})
    assert [hood.run(program, options=["--cage", cage]).text for _ in range(2)] == [bare.stdout] * 2
    assert hood.run(program, options=["--cage", cage, "--env", "PYTHONHASHSEED=7"]).text != bare.stdout
    chance = ["--cage", cage, "--env", "PYTHONHASHSEED=random"]
    assert len({hood.run(program, options=chance).text for _ in range(4)}) > 1
    command = [hood.call("run", "--cage", cage, "--", "python3", "-c", source).out.decode() for _ in range(2)]
    assert command == [bare.stdout] * 2
    assert "PYTHONHASHSEED=0" in hood.call("policy", "explain").text


@pytest.mark.parametrize("cage", ["fresh", "slot"])
def test_the_order_of_a_hash_is_always_the_same(hood, cage):
    source = "my %h = map { $_ => 1 } 'a' .. 'z'; print join('', keys %h), \"\\n\";\n"
    program = hood.program(source, "pl")
    bare = subprocess.run(["/usr/bin/perl", program], capture_output=True, text=True, env={"PERL_HASH_SEED": "0"})
    assert [hood.run(program, options=["--cage", cage]).text for _ in range(2)] == [bare.stdout] * 2
    assert hood.call("run", "--cage", cage, "--", "perl", "-e", source).out.decode() == bare.stdout
    assert hood.run(program, options=["--cage", cage, "--env", "PERL_HASH_SEED=7"]).text != bare.stdout


def test_env_option_adds_and_replaces(hood):
    run = hood.shell("echo $COLOUR $TZ", options=["--env", "COLOUR=teal", "--env", "TZ=CET"])
    assert run.text == "teal CET\n"


def test_input_files_arrive_where_named(hood):
    one = hood.file("one.txt", b"one\x00\xff")
    two = hood.file("two.txt", b"two")
    run = hood.python("print(open('/work/one.txt','rb').read(), open('sub/dir/2.txt').read())",
                      options=["--input", one, "--input", "%s:sub/dir/2.txt" % two])
    assert run.text == "b'one\\x00\\xff' two\n", run
    assert one.read_bytes() == b"one\x00\xff"


def test_program_and_inputs_fit_into_the_scratch_together(hood):
    one, two = hood.file("one", b"1" * 20000), hood.file("two", b"2" * 20000)
    words = ["--limit", "scratch_bytes=40000", "--input", one]
    program = hood.program("import os; print(os.path.getsize('one'))", "py")
    assert expect_status(hood.call("run", *words, program), 0).out == b"20000\n"
    expect_refusal(hood.call("run", *words, "--input", two, program), 2, "more than 40000 bytes", "scratch_bytes=SIZE")
    expect_refusal(hood.call("run", "--limit", "scratch_bytes=16KiB", "--input", one, program), 2, "more than 16384 bytes", "scratch_bytes=SIZE")


def test_an_input_is_a_copy(hood):
    one = hood.file("one.txt", b"kept")
    hood.python("import os\ntry:\n  open('one.txt','w').write('changed')\nexcept OSError: pass", options=["--input", one])
    assert one.read_bytes() == b"kept"


def test_where_and_who(hood):
    run = hood.python("import os\nprint(os.getcwd(), os.getuid(), os.geteuid(), os.getgid(), os.getgroups() in ([], [os.getgid()]), os.umask(0o22) >= 0)")
    assert run.text == "/work 1000 1000 1000 True True\n", run


def test_it_can_write_where_it_works(hood):
    run = hood.shell("echo a >/work/f && mkdir -p /tmp/d && echo b >$TMPDIR/g && cat /work/f $TMPDIR/g")
    assert run.text == "a\nb\n", run


def test_nothing_stays_from_one_run_to_the_next(hood):
    expect_status(hood.shell("echo left >/work/left; echo left >/tmp/left; echo left >/dev/shm/left 2>/dev/null; exit 0"), 0)
    assert hood.shell("ls /work /tmp /dev/shm 2>/dev/null | grep -c left").text == "0\n"


LANGUAGES = {
    "py": ("print(6 * 7)", PYTHON), "js": ("console.log(6 * 7)", "/usr/bin/node"), "sh": ("echo $((6 * 7))", "/bin/sh"),
    "pl": ("print 6 * 7, qq(\\n);", "/usr/bin/perl"),
}


@pytest.mark.parametrize("extension", sorted(LANGUAGES))
def test_language_by_extension(hood, extension):
    source, tool = LANGUAGES[extension]
    need(os.path.exists(tool), "%s is not installed" % tool)
    run = hood.run(hood.program(source, extension))
    assert (run.status, run.out) == (0, b"42\n"), run
    expect_protected(run.receipt)


def test_language_by_first_line_and_by_option(hood):
    assert hood.run(hood.file("tool-" + hood.nonce, "#!/usr/bin/env python3\nprint(42)")).text == "42\n"
    assert hood.run(hood.file("t2-" + hood.nonce, "#!/bin/sh\necho 43")).text == "43\n"
    assert hood.run(hood.file("t3-%s.txt" % hood.nonce, "print(44)"), options=["--runtime", "python"]).text == "44\n"


def test_a_native_program(hood):
    assert hood.run(hood.compile('#include <stdio.h>\nint main(void){puts("native");return 7;}')).status == 7


def test_the_program_of_another_folder_and_an_odd_name(hood):
    path = hood.file("a folder/odd name %s ü'.py" % hood.nonce, "print('ran')")
    run = hood.run(path)
    assert run.text == "ran\n", run
    assert run.receipt["program"]["name"].endswith(".py")


def test_missing_file(hood):
    missing = hood.folder / ("missing-%s.py" % hood.nonce)
    expect_refusal(hood.call("run", missing), 127, "missing-" + hood.nonce)


def test_json_is_one_receipt_and_nothing_else(hood):
    program = hood.program("import sys\nprint('hello')\nprint('oops', file=sys.stderr)\nsys.exit(5)", "py")
    run = expect_status(hood.call("run", "--json", program), 5)
    assert run.err == b"" and run.out.count(b"\n") == 1
    receipt = json.loads(run.out)
    expect_whole_receipt(receipt)
    expect_protected(receipt)
    assert receipt["stdout"]["text"] == "hello\n" and receipt["stderr"]["text"] == "oops\n"
    assert receipt["ending"]["exit_code"] == 5
    assert receipt["program"]["sha256"] == hashlib.sha256(program.read_bytes()).hexdigest()
    assert receipt["program"]["bytes"] == len(program.read_bytes()) and receipt["program"]["runtime"] == "python"
    claimed, made = receipt_hash(run.out.decode())
    assert claimed == made


def test_json_is_valid_whatever_is_written(hood):
    run = hood.call("run", "--json", hood.program(
        "import os\nos.write(1, bytes(range(256)))\nos.write(2, b'\\xe2\\x82')\nos.write(1, '\\u2028\\U0001f40d'.encode())", "py"))
    receipt = json.loads(run.out.decode("utf-8"))
    import base64
    assert base64.b64decode(receipt["stdout"]["base64"]) == bytes(range(256)) + "\u2028\U0001f40d".encode()
    assert base64.b64decode(receipt["stderr"]["base64"]) == b"\xe2\x82"


def test_json_has_no_control_character(hood):
    """Neither those of the second hundred, which a terminal obeys too; what is read back, and its hash, is the same."""
    text = "".join(map(chr, range(0xb0))) + "\u20ac"
    run = hood.call("run", "--json", hood.program("import os\nos.write(1, %r.encode())\nos.write(2, b'\\xc2\\x9b\\x7f')" % text, "py"))
    shown = run.out.decode()
    assert not [c for c in shown[:-1] if ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0] and "\\u009b" in shown and "\u00a0" in shown
    assert json.loads(shown)["stdout"]["text"] == text and json.loads(shown)["stderr"]["text"] == "\x9b\x7f"
    path = hood.file("receipt.json", shown)
    claimed, made = receipt_hash(shown)
    assert claimed == made
    expect_status(hood.call("receipt", "verify", path), 0)
    again = hood.call("receipt", "show", "--json", path)
    assert again.status == 0 and b"\xc2\x9b" not in again.out and b"\x7f" not in again.out and json.loads(again.out) == json.loads(shown)


def test_json_keeps_nul_in_text(hood):
    receipt = json.loads(hood.call("run", "--json", hood.program("print('a\\0b')", "py")).out)
    assert receipt["stdout"]["utf8"] is True and receipt["stdout"]["text"] == "a\0b\n"


def test_usage_is_measured(hood):
    usage = hood.python("x = bytearray(40 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nimport time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass").receipt["usage"]
    assert usage["cpu_us"] >= 250_000 and usage["wall_us"] >= 250_000
    if has_groups():
        assert usage["memory_peak_bytes"] >= 40 << 20 and usage["processes_peak"] >= 1


def test_parallel_runs_do_not_meet(hood):
    """Twenty times two at once."""
    program = hood.program("import os,sys\nopen('/tmp/x','x').write(sys.argv[1])\nprint(sys.argv[1], open('/tmp/x').read(), os.getuid())", "py")
    failures = []

    def one(number):
        words, _ = hood.words(program, [str(number)])
        done = subprocess.run(hood.command(*words), capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        if (done.returncode, done.stdout) != (0, b"%d %d 1000\n" % (number, number)):
            failures.append((done.returncode, done.stdout, done.stderr))
    for round_number in range(20):
        threads = [threading.Thread(target=one, args=(round_number * 2 + n,)) for n in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    assert not failures


def test_output_closed_by_the_reader(hood):
    """Somebody pipes into head: fumehood ends and nothing stays."""
    process = hood.start(hood.program("while True: print('y' * 1000)", "py"), options=["--limit", "wall_ms=5s"])
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(20) == 128 + signal.SIGPIPE
    process.stderr.close()
    ending = json.loads(process.receipt_path.read_text())["ending"]
    assert ending["kind"] == "cancelled" and ending["detail"] == "the reader of its output went away", ending


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-", ">&-", "<&- >&- 2>&-"])
def test_standard_streams_closed_at_start(hood, closed):
    """None of their numbers may be taken by what the run opens for itself."""
    program = hood.program("import os\nprint(os.read(0, 9), flush=True)", "py")
    receipt = hood.folder / "r.json"
    done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', *hood.command("run", "--receipt", receipt, program)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30)
    if ">&-" in closed.replace("2>&-", ""):  # what is written there is lost, and that is not the guest's fault
        assert json.loads(receipt.read_text())["ending"]["kind"] == "cancelled"
        assert (done.returncode, done.stdout) == (125, b""), done
    else:
        assert (done.returncode, done.stdout, done.stderr) == (0, b"b''\n", b""), done


# ---------------------------------------------------------------- whatever the launcher left

def test_a_launcher_that_is_nice(hood):
    """Who starts fumehood with less than usual does not want the guest to have more, whoever comes first in the cage."""
    program = hood.program("import os, time\ntime.sleep(0.15)\nprint(os.getpriority(0, 0), os.sched_getscheduler(0))", "py")
    own = os.getpriority(os.PRIO_PROCESS, 0)  # these tests' own launcher may be nice as well
    for prefix, wanted in ((["nice", "-n", "10"], b"%d 0\n" % min(own + 10, 19)), (["chrt", "-b", "0"], b"%d 3\n" % own)):
        done = subprocess.run([*prefix, *hood.command("run", program)], capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
        assert (done.returncode, done.stdout) == (0, wanted), done


def test_a_launcher_without_random_addresses(hood):
    """Its personality is not the guest's."""
    done = subprocess.run(["setarch", "-R", *hood.command("run", hood.program("""
import ctypes
print(hex(ctypes.CDLL(None).personality(0xffffffff)))
""", "py"))], capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
    assert (done.returncode, done.stdout) == (0, b"0x0\n"), done


def soft(number, value):
    import resource
    return lambda: resource.setrlimit(number, (value, resource.getrlimit(number)[1]))


def launchers():
    import resource
    return {
        "umask": lambda: os.umask(0o777),
        "children ignored": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        "all blocked": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)),
        "all ignored": lambda: [signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)],
        "small stack": soft(resource.RLIMIT_STACK, 64 << 10),
        "small files": soft(resource.RLIMIT_FSIZE, 0),
        "few descriptors": soft(resource.RLIMIT_NOFILE, 24),
        "little time": soft(resource.RLIMIT_CPU, 1),
        "little memory": soft(resource.RLIMIT_AS, 64 << 20),
        "core files": soft(resource.RLIMIT_CORE, 0),
        "in another folder": lambda: os.chdir("/proc/self/fd"),
    }


@pytest.mark.parametrize("name", sorted(launchers()))
def test_a_guest_does_not_feel_its_launcher(hood, name):
    if name == "little memory" and b"__asan_init" in BINARY.read_bytes():
        pytest.skip("a program with AddressSanitizer does not start with little address space")
    source = r"""
import os, resource, signal, subprocess, sys
end = resource.getrusage(resource.RUSAGE_SELF).ru_utime + 1.3 if sys.argv[1] == 'little time' else 0
while resource.getrusage(resource.RUSAGE_SELF).ru_utime < end: pass
held = [open('/dev/null') for _ in range(100)]
open('f', 'wb').write(bytearray(100_000_000 if sys.argv[1] == 'little memory' else 100)[:100])
print(oct(os.umask(0o22)), len(signal.pthread_sigmask(signal.SIG_BLOCK, [])), signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL,
      subprocess.run(['true']).returncode, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
    run = hood.python(source, name, preexec_fn=launchers()[name])
    assert (run.status, run.text) == (0, "0o22 0 True 0 256\n"), run


def test_a_hard_limit_of_the_launcher_is_not_hidden(hood):
    """What cannot be raised is refused, or the receipt tells the true value."""
    import resource
    run = hood.python("import resource\nprint(resource.getrlimit(resource.RLIMIT_NOFILE)[0])",
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
    if run.status == 0:
        assert int(run.text) == run.receipt["limits"]["open_files"]["value"], run
    else:
        assert run.status in (125, 126) and run.said.startswith("fumehood: "), run


# ---------------------------------------------------------------- machines that lack something

def in_own_mounts(hood, preparation, *words):
    """fumehood under a shell command that changes its own view of the mounts."""
    need(is_root() and shutil.which("unshare"), "not root, or no unshare: no view of its own can be made")
    command = " ".join(shlex.quote(str(word)) for word in hood.command(*words))
    done = subprocess.run(["unshare", "-m", "sh", "-ec", preparation.replace("COMMAND", command)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)
    return Run(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("kind", ["folder", "mount", "without control groups"])
def test_in_a_chroot(hood, kind):
    """The true reason, and a way out. A root that is a mount looks like any other from inside."""
    root = hood.folder / "root"
    root.mkdir()
    make = "mount --rbind / %s; exec chroot %s COMMAND" % (root, root) if kind == "mount" else (
        "mount -t tmpfs story %s; mkdir %s/r; for d in $(ls /); do [ -L /$d ] && cp -P /$d %s/r/$d; [ -L /$d ] || [ ! -d /$d ] || "
        "{ mkdir %s/r/$d; mount --rbind /$d %s/r/$d; }; done; exec chroot %s/r COMMAND" % ((root,) * 6))
    if kind == "without control groups":
        make = make.replace("exec chroot", "mount -t tmpfs story %s/r/sys; exec chroot" % root)
    run = in_own_mounts(hood, make, "run", hood.program("echo ran", "sh"))
    line = expect_refusal(run, 125, "chroot", "bwrap")
    assert ("security module" in line) == (kind == "mount"), line


@pytest.mark.parametrize("how", ["mount -t tmpfs -o ro story /run; COMMAND", "mount --bind -o ro /run /run; mount -o remount,ro,bind /run; COMMAND"],
                         ids=["empty", "used"])
def test_with_a_read_only_run_folder(hood, how):
    run = in_own_mounts(hood, how, "run", hood.program("echo ran", "sh"))
    expect_refusal(run, 125, "Read-only", "RuntimeDirectory|tmpfs at /run")


def test_with_a_read_only_tmp_folder(hood):
    with tempfile.NamedTemporaryFile(suffix=".sh", dir="/var/tmp") as program:
        program.write(b"echo ran\n")
        program.flush()
        run = in_own_mounts(hood, "mount -t tmpfs -o ro story /tmp; COMMAND", "run", program.name)
    assert (run.status, run.text) == (0, "ran\n"), run
