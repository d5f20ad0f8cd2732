"""System call profiles, policies that are learned, and what is observed."""
import hashlib
import os
import pathlib
import re
import shutil
import stat
import time

import pytest

from hood import *

PROFILES = "strict native python node shell".split()
GOOD = EXAMPLES / "candidates/stdio-good"

SUMS = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) { long a, sum = 0; char *p = malloc(1 << 20); while (scanf("%ld", &a) == 1) sum += a; p[0] = 1; printf("%ld\n", sum); free(p); return 0; }
"""
BUSY = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
static int total; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *n) { pthread_mutex_lock(&lock); total += (int)(long)n; pthread_mutex_unlock(&lock); usleep(1000); return NULL; }
int main(void) {
  pthread_t threads[4]; int ends[2], status; char byte; struct pollfd fd;
  for (long i = 0; i < 4; i++) if (pthread_create(&threads[i], NULL, work, (void *)i)) return 1;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  if (pipe(ends)) return 2;
  if (fork() == 0) { write(ends[1], "x", 1); _exit(3); }
  fd.fd = ends[0]; fd.events = POLLIN; if (poll(&fd, 1, 5000) != 1 || read(ends[0], &byte, 1) != 1) return 3;
  wait(&status); if (WEXITSTATUS(status) != 3) return 4;
  FILE *f = fopen("/tmp/a", "w"); if (!f) return 5; fputs("hello", f); fclose(f);
  if (rename("/tmp/a", "/tmp/b") || mkdir("/tmp/c", 0755) || rmdir("/tmp/c") || unlink("/tmp/b")) return 6;
  if (system("exit 7") >> 8 != 7) return 7;
  printf("%d\n", total); return 0; }
"""
REACHES = r"""
#include <errno.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
  int ends[2], child = fork();
  if (child == 0) _exit(0);
  printf("%d", child < 0 ? errno : 0);
  printf(" %d", socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0);
  printf(" %d", socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 ? errno : 0);
  printf(" %d", shmget(IPC_PRIVATE, 1, 0600) < 0 ? errno : 0);
  printf(" %d\n", pipe(ends) < 0 ? errno : 0); return 0; }
"""
REALISTIC = {
    "python": ("py", """
import asyncio, concurrent.futures, json, multiprocessing, os, pathlib, shutil, socket, sqlite3, subprocess, tempfile, threading, time
def square(x): return x * x
async def sleepy():
    process = await asyncio.create_subprocess_exec('true'); await process.wait(); await asyncio.sleep(0.01); return process.returncode
if __name__ == '__main__':
    with concurrent.futures.ThreadPoolExecutor(3) as pool: assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
    with multiprocessing.Pool(2) as pool: assert pool.map(square, range(4)) == [0, 1, 4, 9]
    assert asyncio.run(sleepy()) == 0
    assert subprocess.run('echo hi | cat', shell=True, capture_output=True).stdout == b'hi\\n'
    folder = tempfile.mkdtemp(); pathlib.Path(folder, 'a').write_text('x'); os.rename(folder + '/a', folder + '/b')
    shutil.copy2(folder + '/b', folder + '/c'); shutil.rmtree(folder)
    base = sqlite3.connect('/tmp/t.db'); base.execute('create table t(a)'); base.execute('insert into t values(7)'); base.commit()
    print(base.execute('select a from t').fetchone()[0])
"""),
    "node": ("js", """
const fs = require('fs'), child = require('child_process'), {Worker, isMainThread, parentPort} = require('worker_threads');
if (!isMainThread) parentPort.postMessage(6);
else {
  fs.writeFileSync('/tmp/f', 'x'); fs.renameSync('/tmp/f', '/tmp/g'); fs.copyFileSync('/tmp/g', '/tmp/h'); fs.rmSync('/tmp/g');
  if (child.execSync('echo hi | cat').toString() !== 'hi\\n') process.exit(9);
  require('zlib').gzip('aaaa', () => fs.promises.readFile('/tmp/h').then(() => new Worker(__filename).on('message', n => console.log(n + 1))));
}
"""),
    "shell": ("sh", """
set -e
cd /tmp; printf 'b\\na\\n' > f; sort f | uniq -c | tr a A > g; cp -p g h; mv h i; mkdir -p d/e; ls -la d > /dev/null; rm -r d
ln -s f s; readlink s > /dev/null; find . -type f | xargs wc -l > /dev/null; sed -i s/a/c/ f; grep -q c f; tar cf t.tar f; gzip t.tar
awk 'BEGIN { print 3 + 4 }'; mkfifo p; (echo q > p) & cat p > /dev/null; wait
"""),
}


def with_profile(hood, profile, more=""):
    return hood.policy("%s-policy.yaml" % profile, "syscalls: %s\n%s" % (profile, more))


def expect_undisturbed(run, text):
    assert run.status == 0 and run.text == text and run.receipt["denials"] == [], "%r\n%s" % (run, run.receipt["denials"])
    expect_whole_receipt(run.receipt)


def allowed(hood, policy):
    """What a policy leaves, by name, sorted."""
    return json.loads(hood.call("policy", "show", "--json", policy).text)["syscalls"]["allow"]


# ---------------------------------------------------------------- profiles

@pytest.mark.parametrize("flags", [[], ["-static"]], ids=["dynamic", "static"])
def test_strict_runs_what_computes(hood, flags):
    run = hood.run(hood.compile(SUMS, *flags), stdin=b"1 2\n39\n", options=["--policy", with_profile(hood, "strict")])
    expect_undisturbed(run, "42\n")
    assert run.receipt["syscalls"]["profile"] == "strict"


def test_strict_denies_company_and_names_it(hood):
    run = hood.run(hood.compile(REACHES), options=["--policy", with_profile(hood, "strict")])
    assert run.text == "1 1 1 1 1\n", run
    expect_ending(run, "exited", exit_code=0)
    assert {("process", "clone"), ("network", "socket(AF_UNIX)"), ("network", "socketpair(AF_UNIX)"), ("syscall", "shmget")} <= set(run.denials)
    assert re.search(r"clone 1 time.*socket\(AF_UNIX\) 1 time", run.said), run
    free = hood.run(hood.compile(REACHES))
    assert free.text.splitlines()[0] == "0 0 0 0 0" and free.receipt["denials"] == [], free


def test_strict_denies_threads(hood):
    run = hood.run(hood.compile("#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *a) { return a; }\n"
                                "int main(void) { pthread_t t; printf(\"%d\\n\", pthread_create(&t, NULL, f, NULL)); return 0; }"),
                   options=["--policy", with_profile(hood, "strict")])
    assert run.text == "1\n" and run.denied("clone"), run


def test_a_crash_under_strict_is_a_crash(hood):
    policy = with_profile(hood, "strict")
    run = hood.run(hood.compile("#include <stdlib.h>\nint main(void) { abort(); }"), options=["--policy", policy])
    expect_ending(expect_status(run, 134), "signaled", signal=6)
    run = hood.run(hood.compile("int main(void) { return *(volatile int *)8; }"), options=["--policy", policy])
    expect_ending(expect_status(run, 139), "signaled", signal=11)


@pytest.mark.parametrize("flags", [[], ["-static"]], ids=["dynamic", "static"])
def test_native_runs_compiled_programs(hood, flags):
    policy = with_profile(hood, "native")
    expect_undisturbed(hood.run(hood.compile(BUSY, "-pthread", *flags), options=["--policy", policy]), "6\n")
    run = hood.run(hood.compile(REACHES), options=["--policy", policy])
    assert run.text.splitlines()[0] == "0 1 1 1 0" and run.denied("socketpair"), run


@pytest.mark.parametrize("runtime", REALISTIC)
def test_each_runtime_under_its_profile(hood, runtime):
    need(runtime != "node" or shutil.which("node"), "node is not installed: its profile is not tested")
    hello = {"python": "print('hello')", "node": "console.log('hello')", "shell": "echo hello"}[runtime]
    extension, source = REALISTIC[runtime]
    policy = with_profile(hood, runtime)
    expect_undisturbed(hood.run(hood.program(hello, extension), options=["--policy", policy]), "hello\n")
    expect_undisturbed(hood.run(hood.program(source, extension), options=["--policy", policy, "--limit", "wall_ms=30s"]), "7\n")


def test_each_program_gets_its_runtimes_profile(hood):
    policy = with_profile(hood, "runtime")
    seen = {}
    for extension, source in (("py", "print(7)"), ("sh", "echo 7"), ("js", "console.log(7)"), ("pl", "print 7")):
        if shutil.which({"py": "python3", "js": "node", "pl": "perl"}.get(extension, "sh")):
            run = hood.run(hood.program(source, extension), options=["--policy", policy], marked=False)
            assert run.status == 0 and run.text.strip() == "7" and run.receipt["denials"] == [], run
            seen[extension] = run.receipt["syscalls"]["profile"]
            assert hood.call("policy", "hash", policy).text.strip() == run.receipt["policy"]["sha256"]
    run = hood.run(hood.compile(REACHES), options=["--policy", policy])
    assert run.text.splitlines()[0] == "0 1 1 1 0" and run.receipt["syscalls"]["profile"] == "native", run
    assert {"py": "python", "sh": "shell", "js": "node", "pl": "native"}.items() >= seen.items() and len(seen) >= 2
    assert re.search(r"python +python\n", hood.call("policy", "explain", policy).text)


def test_perl_runs_under_native(hood):
    need(shutil.which("perl"), "perl is not installed")
    expect_undisturbed(hood.run(hood.program('print `echo hello`;', "pl"), options=["--policy", with_profile(hood, "native")]), "hello\n")


def test_what_a_profile_keeps_has_the_defaults_conditions(hood):
    run = hood.python("""
import socket
for family in (socket.AF_INET, socket.AF_UNIX):
    try: socket.socket(family); print('made')
    except OSError as why: print(why.errno)
""", options=["--policy", with_profile(hood, "python")])
    assert run.text == "1\nmade\n" and run.denied("socket") == [row for row in run.receipt["denials"] if row["what"] == "socket(AF_INET)"], run


def test_the_first_denial_ends_the_run_where_asked(hood):
    run = hood.run(hood.compile(REACHES), options=["--policy", with_profile(hood, "strict", "denials: end\n")])
    expect_ending(expect_status(run, 126), "denied")


HIDES = r"""
#include <sys/syscall.h>
static void call(long nr, long a, long b, long c) {
  register long d __asm__("r10") = 0; long result;
  __asm__ volatile("syscall" : "=a"(result) : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(d) : "rcx", "r11", "memory"); }
void _start(void) {
  for (long n = 0; n < 128; n++) {
    long bits = (n & 1) << 17 | (n >> 1 & 31) << 26 | (n >> 6 & 1) << 30;
    call(SYS_socket, n, 0, 0); call(SYS_socketpair, n, 0, 0); call(SYS_prctl, n, 0, 0); call(SYS_ioctl, 0, n, 0);
    call(SYS_fcntl, 0, n, 0); call(SYS_setsockopt, 0, 0, n); call(SYS_clone, bits, 0, 0); call(SYS_unshare, bits, 0, 0); }
  for (int n = 0; n < 600; n++) /* 335 and 336 go past every filter */
    if (n != SYS_execve && n != SYS_exit_group && n != SYS_ptrace && n != 335 && n != 336) call(n, 0, 0, 0);
  call(SYS_ptrace, 0, 0, 0);
  for (;;) call(SYS_exit_group, 3, 0, 0); }
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="made of this processor's instructions")
def test_no_attempt_hides_behind_others(hood):
    """However many there are, of whatever kinds."""
    policy = hood.policy("two.yaml", "syscalls: {name: two, allow: [execve, exit_group]}\n")
    run = hood.run(hood.compile(HIDES, "-static", "-nostdlib"), options=["--policy", policy])
    rows = run.receipt["denials"]
    assert run.status == 3 and run.denied("ptrace") and len(rows) > 600 and run.receipt["denials_unlisted"] == 0, (run.status, len(rows))
    assert hood.call("receipt", "verify", run.receipt_path).status == 0


def test_a_program_that_cannot_be_executed_does_not_hang(hood):
    broken = hood.compile("int main(void) { return 0; }", "-Wl,--dynamic-linker=/no/such/loader")
    for policy in ("strict", "native"):
        run = hood.run(broken, options=["--policy", with_profile(hood, policy, "observe: [exec]\n")])
        assert run.status == 127 and run.seconds < 5, run


def test_a_policys_own_list(hood):
    policy = hood.policy("own.yaml", "name: own\nsyscalls:\n  name: mine\n  allow: [%s]\n" % ", ".join(
        allowed(hood, with_profile(hood, "python"))))
    expect_undisturbed(hood.python("print(1)", options=["--policy", policy]), "1\n")
    fewer = hood.policy("fewer.yaml", "name: own\nsyscalls:\n  name: mine\n  allow: [%s]\n" % ", ".join(
        name for name in allowed(hood, policy) if name != "socketpair"))
    run = hood.python("import socket\ntry: socket.socketpair()\nexcept OSError as why: print(why.errno)", options=["--policy", fewer])
    assert run.text == "1\n" and run.denials == {("network", "socketpair(AF_UNIX)"): 1}, run
    assert run.receipt["syscalls"]["profile"] == "mine"


def test_lists_that_are_wrong(hood):
    for text, place, *parts in [
            ("syscalls: {name: x, allow: [execve, exit_group, lseak]}\n", ":1:49", "lseak", "did you mean lseek"),
            ("syscalls: {name: x, allow: [execve, exit_group, ptrace]}\n", ":1:49", "ptrace is denied by the default"),
            ("syscalls: {name: x, allow: [read]}\n", ":1:28", "execve is not in the list"),
            ("syscalls: strct\n", ":1:11", "did you mean strict"),
            ("observe: [file]\n", ":1:11", "did you mean files")]:
        policy = hood.file("wrong.yaml", text)
        expect_refusal(hood.call("policy", "check", policy), 1, re.escape("wrong.yaml" + place), *parts)
        expect_refusal(hood.call("run", "--policy", policy, hood.program("", "sh")), 2, re.escape("wrong.yaml" + place))


def test_the_receipt_tells_profiles_apart(hood):
    seen = {}
    for profile in ["default", *PROFILES]:
        policy = with_profile(hood, profile)
        run = hood.run(hood.compile("int main(void) { return 0; }"), options=["--policy", policy])
        receipt = run.receipt
        assert receipt["syscalls"]["profile"] == profile
        if profile != "default":
            names = "".join(name + "\n" for name in allowed(hood, policy))
            assert receipt["syscalls"]["sha256"] == hashlib.sha256(names.encode()).hexdigest()
        seen[profile] = (receipt["syscalls"]["sha256"], receipt["policy"]["sha256"])
        assert hood.call("receipt", "verify", run.receipt_path).status == 0
    assert len({one for one, _ in seen.values()}) == len({other for _, other in seen.values()}) == len(seen)


@pytest.mark.parametrize("profile", PROFILES)
def test_explain_lists_what_a_profile_allows_and_why(hood, profile):
    policy = with_profile(hood, profile)
    text = expect_status(hood.call("policy", "explain", policy), 0).text
    part = text[text.index("\nSystem calls\n"):text.index("\nWhat is trusted\n")]
    assert "profile %s\n" % profile in part and "  - starting and ending" in part, part
    words = set(re.findall(r"[a-z0-9_]+", part))
    assert set(allowed(hood, policy)) <= words
    assert all(len(line) <= 80 for line in part.splitlines())
    long = hood.call("policy", "explain", "--syscalls", policy).text
    assert "shmget" in long[long.index("denied by the profile"):]


# ---------------------------------------------------------------- learning

def learn(hood, *files, options=(), **more):
    return hood.call("policy", "learn", *([] if hood.as_is else ["--policy", "if-available"]), *options, "--", *files, **more)


def good_examples(hood):
    return [path for path in sorted(GOOD.iterdir()) if path.suffix != ".js" or shutil.which("node")]


def test_learned_from_the_examples(hood):
    policy, numbers = hood.folder / "learned.yaml", hood.file("numbers.txt", "3\n1 2 3\n4 5 6\n7 8 9\n")
    files = [path for path in good_examples(hood) if hood.run(path, options=["--stdin", numbers]).status == 0]
    assert len(files) >= 3, files
    expect_status(learn(hood, *files, *files, options=["--name", "examples", "--stdin", numbers, "--out", policy]), 0)
    assert hood.call("policy", "check", policy).status == 0
    names = allowed(hood, policy)
    assert {"execve", "exit_group", "read", "write", "mmap"} <= set(names) and "socketpair" not in names and len(names) < 150
    for path in files:
        free, run = hood.run(path, options=["--stdin", numbers]), hood.run(path, options=["--stdin", numbers, "--policy", policy])
        expect_undisturbed(run, free.text)
        assert run.receipt["syscalls"]["profile"] == run.receipt["policy"]["name"] == "examples"
    run = hood.python("import socket\ntry: socket.socketpair()\nexcept OSError as why: print(why.errno)", options=["--policy", policy])
    assert run.text == "1\n" and ("network", "socketpair(AF_UNIX)") in run.denials, run


def test_learned_from_threads_and_children(hood):
    policy, program = hood.folder / "busy.yaml", hood.compile(BUSY, "-pthread")
    expect_status(learn(hood, program, program, program, options=["--out", policy]), 0)
    expect_undisturbed(hood.run(program, options=["--policy", policy]), "6\n")
    assert {"clone", "wait4", "poll", "rename"} <= set(allowed(hood, policy))


def test_learning_goes_to_standard_output_too(hood):
    run = expect_status(learn(hood, hood.program("echo hi", "sh")), 0)
    assert run.text.startswith("schema: fumehood.policy/1\n") and "\n    - execve\n" in run.text and run.err == b""
    assert "hi" not in run.text.split()
    policy = hood.file("again.yaml", run.text)
    expect_undisturbed(hood.shell("echo ho", options=["--policy", policy]), "ho\n")


def test_what_the_default_denies_stays_denied_while_learning(hood):
    policy = hood.folder / "p.yaml"
    program = hood.program("import socket, sys\ntry: socket.socket(socket.AF_INET); sys.exit(5)\nexcept OSError: pass\nsocket.socket(socket.AF_UNIX)", "py")
    expect_status(learn(hood, program, options=["--out", policy]), 0)
    run = hood.run(program, options=["--policy", policy])
    assert run.status == 0 and run.denials == {("network", "socket(AF_INET)"): 1}, run


def test_only_good_programs_teach(hood):
    policy = hood.folder / "none.yaml"
    for source, part in [("exit 3", "exited with 3 while learning"), ("kill -9 $$", "ended by signal 9")]:
        expect_refusal(learn(hood, hood.program("true", "sh"), hood.program(source, "sh"), options=["--out", policy]), 1, part)
    for options in (["--stdin", "missing"], ["--name", "default"], ["--name", ""], ["--runtime", "cobol"]):
        run = learn(hood, hood.program("true", "sh"), options=["--out", policy, *options])
        assert run.status == 2 and len(run.said.splitlines()) == 1, run
    expect_refusal(learn(hood), 2, "FILE is missing")
    expect_refusal(hood.call("policy", "learn", hood.program("true", "sh")), 2)
    assert not policy.exists()


def test_what_is_not_the_same_again_is_not_written(hood):
    """It does one thing while its calls are noted, and another when they are not: where a call takes its time tells."""
    policy = hood.folder / "none.yaml"
    program = hood.compile(r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>
int main(void) {
  struct timespec a, b; int ends[2]; long least = 1000000;
  for (int round = 0; round < 20; round++) {
    clock_gettime(CLOCK_MONOTONIC, &a); for (int i = 0; i < 100; i++) getppid(); clock_gettime(CLOCK_MONOTONIC, &b);
    long us = (b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000;
    if (us < least) least = us;
  }
  if (least < 150) socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  return 0; }""")
    expect_refusal(learn(hood, program, options=["--out", policy]), 1, r"was denied socketpair\(AF_UNIX\) when it ran again")
    assert not policy.exists()


def test_learning_as_an_ordinary_user(user_hood):
    policy = user_hood.folder / "user.yaml"
    program = user_hood.program("print(sum(range(10)))", "py")
    program.chmod(0o644)
    expect_status(user_hood.call("policy", "learn", "--policy", "if-available", "--out", policy, "--", program), 0)
    expect_undisturbed(user_hood.run(program, options=["--policy", policy]), "45\n")


# ---------------------------------------------------------------- observing

LOOKS = """
import os, subprocess
for path, flags in (('/root/.ssh/id_rsa', 0), ('/etc/shadow', 0), ('/usr/bin/planted', os.O_CREAT | os.O_WRONLY), ('own', os.O_CREAT | os.O_WRONLY),
                    ('own', 0), ('nothing-here', 0), ('/root/.ssh/id_rsa', 0), ('/' + 'l' * 400, 0), ('/dev/null', 2), ('/proc/self/status', 0)):
    try: os.close(os.open(path, flags))
    except OSError: pass
for words in (['/usr/bin/true'], ['/opt/evil', 'now'], ['/etc/passwd']):
    try: subprocess.run(words)
    except OSError: pass
print('done')
"""


def sights(run, kind):
    return {(row["path"], row["seen"]): row["count"] for row in run.receipt["observed"][kind]}


def check_looks(run):
    assert run.status == 0 and run.text == "done\n" and run.receipt["denials"] == [], run
    files, programs = sights(run, "files"), sights(run, "exec")
    assert files[("/root/.ssh/id_rsa", "missing")] == 2 and ("/etc/shadow", "missing") in files, files
    assert ("/usr/bin/planted", "refused") in files and ("nothing-here", "missing") in files, files
    assert not {"own", "/dev/null", "/proc/self/status"} & {path for path, _ in files}, files
    long = [row for row in run.receipt["observed"]["files"] if row["path"].startswith("/llll")]
    assert [(len(row["path"]), row["truncated"]) for row in long] == [(256, True)], long
    assert ("/usr/bin/true", "tried") in programs and ("/opt/evil", "missing") in programs and ("/etc/passwd", "refused") in programs, programs
    assert run.receipt["observed"]["unread"] == 0


def test_observe_says_what_it_was_after(hood):
    run = hood.python(LOOKS, options=["--policy", hood.policy("observe.yaml", "observe: [files, exec]\n")])
    check_looks(run)
    assert hood.call("receipt", "verify", run.receipt_path).status == 0
    shown = hood.call("receipt", "show", run.receipt_path).text
    assert "/root/.ssh/id_rsa" in shown and "/opt/evil" in shown


def test_observe_under_a_profile(hood):
    run = hood.python(LOOKS, options=["--policy", hood.policy("observe.yaml", "observe: [files, exec]\nsyscalls: python\n")])
    check_looks(run)
    assert run.receipt["syscalls"]["profile"] == "python"


def test_observe_as_an_ordinary_user(user_hood):
    policy = user_hood.file("observe.yaml", "observe: [files, exec]\nlimits: {memory_bytes_if_available: 512MiB, processes_if_available: 64, cpus_if_available: 1}\n")
    check_looks(user_hood.python(LOOKS, options=["--policy", policy]))


def test_observe_only_what_is_asked_for(hood):
    assert "observed" not in hood.python(LOOKS).receipt
    for kind, other in (("files", "exec"), ("exec", "files")):
        run = hood.python(LOOKS, options=["--policy", hood.policy("observe.yaml", "observe: [%s]\n" % kind)])
        assert run.receipt["observed"][kind] and other not in run.receipt["observed"], run.receipt["observed"]


def test_what_is_denied_is_not_only_observed(hood):
    """The judge comes first: a call that the profile denies fails, whatever is to be seen of it."""
    names = [name for name in allowed(hood, with_profile(hood, "python")) if name not in ("openat2", "execveat")]
    policy = hood.policy("mine.yaml", "observe: [files, exec]\nsyscalls: {name: mine, allow: [%s]}\n" % ", ".join(names))
    run = hood.run(hood.compile("#include <stdio.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n#include <errno.h>\nint main(void) { long how[3] = {0}; "
                                "long a = syscall(SYS_openat2, -100, \"/gone\", how, 24); int e = errno; long b = syscall(SYS_execveat, -100, \"/gone2\", 0, 0, 0); "
                                "printf(\"%ld %d %ld %d\\n\", a, e, b, errno); return 0; }"), options=["--policy", policy])
    assert run.text == "-1 1 -1 1\n" and run.denied("openat2") and run.denied("execveat"), run
    assert "/gone" not in str(run.receipt["observed"])


def first_process(hood):
    """The cage's first process: the parent of the first guest."""
    return int(status_field(min(wait_until(hood.guests, 5)), "PPid"))


@pytest.mark.parametrize("policy, mask", [("network: none\n", 0), ("observe: [files]\n", 1 << 19), ("observe: [exec]\n", 1 << 19), ("syscalls: shell\n", 0)])
def test_the_first_process_has_no_right_but_what_observing_needs(hood, policy, mask):
    process = hood.start(hood.program("echo up; sleep 20", "sh"), options=["--policy", hood.policy("p.yaml", policy)])
    assert process.stdout.readline() == b"up\n"
    first = first_process(hood)
    def sets():
        return [int(status_field(first, "Cap" + name), 16) for name in ("Eff", "Prm", "Inh", "Amb", "Bnd")]
    assert wait_until(lambda: sets() == [mask, mask, 0, 0, 0], 5), sets()  # at once, but after the guest's first word
    process.terminate()
    finish(process)


def test_what_is_observed_cannot_flood(hood):
    policy = hood.policy("observe.yaml", "observe: [files]\n")
    process = hood.start(hood.program("""
import os, time
end, n = time.monotonic() + 2, 0
while time.monotonic() < end:
    n += 1
    try: os.open('/gone%d' % n, 0)
    except OSError: pass
print(n)
""", "py"), options=["--policy", policy])
    time.sleep(1.5)
    ticks = sum(int(field) for field in pathlib.Path("/proc/%d/stat" % process.pid).read_text().rsplit(")", 1)[1].split()[11:13])
    run = finish(process)
    expect_status(run, 0)
    observed = run.receipt["observed"]
    assert len(observed["files"]) == 64 and observed["unlisted"] >= int(run.text) - 64, (observed["unlisted"], run.text)
    assert ticks / os.sysconf("SC_CLK_TCK") < 0.2, ticks
    assert run.receipt_path.stat().st_size < 100_000


def test_paths_that_cannot_be_read(hood):
    run = hood.run(hood.compile("#include <fcntl.h>\n#include <stdio.h>\n#include <errno.h>\n#include <sys/mman.h>\n#include <string.h>\n"
                                "int main(void) { char *m = mmap(0, 8192, 3, 34, -1, 0); munmap(m + 4096, 4096); memcpy(m + 4090, \"/gone\", 6);\n"
                                "printf(\"%d\", open((char *)8, 0)); printf(\" %d\", errno); printf(\" %d\", open(m + 4090, 0)); printf(\" %d\\n\", errno); return 0; }"),
                   options=["--policy", hood.policy("observe.yaml", "observe: [files]\n")])
    assert run.text == "-1 14 -1 2\n", run
    assert run.receipt["observed"]["unread"] == 1 and ("/gone", "missing") in sights(run, "files")


CLOSED = r"""
#include <fcntl.h>
#include <sys/prctl.h>
int main(void) { prctl(PR_SET_DUMPABLE, 0); for (volatile int i = 0; i < 3000000; i++); open("/gone", O_RDONLY); return 3; }
"""
TOGGLED = r"""
#include <sys/prctl.h>
int main(void) { for (int i = 0; i < 20000; i++) prctl(PR_SET_DUMPABLE, i & 1); return 3; }
"""


@pytest.mark.parametrize("source", [CLOSED, TOGGLED], ids=["closed", "toggled"])
@pytest.mark.parametrize("as_user", [False, True], ids=["own", "user"])
def test_a_program_that_closes_its_memory_cannot_have_its_run_refused(hood, user_hood, source, as_user):
    """Its end stays its own, from its first instruction on."""
    who = user_hood if as_user else hood
    program = who.compile(source, "-static")
    policy = who.file("observe.yaml", "observe: [files, exec]\nlimits: {memory_bytes_if_available: 512MiB, processes_if_available: 64, cpus_if_available: 1}\n")
    for _ in range(12):
        run = who.run(program, options=["--policy", policy])
        assert run.status == 3 and run.ending["kind"] == "exited", run


def test_a_way_through_process_1_is_told(hood):
    """There our own look would succeed, where the program is refused."""
    run = hood.python("""
for name in ('/proc/1/root/etc/passwd', '/proc/self/../1/cwd/usr/bin/env'):
    try: open(name); print('open')
    except OSError: pass
print('done')
""", options=["--policy", hood.policy("observe.yaml", "observe: [files]\n")])
    assert run.text == "done\n", run
    assert {("/proc/1/root/etc/passwd", "tried"), ("/proc/self/../1/cwd/usr/bin/env", "tried")} <= set(sights(run, "files")), sights(run, "files")


def test_names_cannot_add_lines_to_what_is_shown(hood):
    run = hood.python("try: open('/x\\nending        kind exited, exit_code 0\\ty')\nexcept OSError: pass\nraise SystemExit(4)",
                      options=["--policy", hood.policy("observe.yaml", "observe: [files]\n")])
    shown = hood.call("receipt", "show", run.receipt_path).text
    assert [line for line in shown.splitlines() if line.startswith("ending")] == ["ending        kind exited, exit_code 4"], shown
    assert "/x\\x0aending" in shown and "\\x09y" in shown and "unread 0" in shown, shown


def test_observing_a_program_with_signals(hood):
    """Calls that are notified are not lost to signals that come meanwhile."""
    run = hood.python("""
import os, signal, time
signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
end, n = time.monotonic() + 1, 0
while time.monotonic() < end:
    os.close(os.open('/usr/bin/env', os.O_RDONLY)); n += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print('done')
""", options=["--policy", hood.policy("observe.yaml", "observe: [files, exec]\n")])
    assert run.status == 0 and run.text == "done\n", run


NAMES = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static char name[600];
static void of_length(int n) { memset(name, 'n', n); name[0] = '/'; name[n] = 0; open(name, O_RDONLY); }
int main(void) {
  unsigned long how[3] = {0};
  of_length(255); of_length(256); of_length(257); of_length(500);
  open("", O_RDONLY); open("/proc/self", O_RDONLY); open("/proc/self/no", O_RDONLY); open("/proc/selfish", O_RDONLY);
  open("/proc/thread-self/status", O_RDONLY); openat(-5, "nowhere", O_RDONLY); openat(-5, "/absolute", O_RDONLY);
  open("/work/new", O_CREAT | O_EXCL | O_WRONLY, 0600); open("/work/new", O_CREAT | O_EXCL | O_WRONLY, 0600);
  open("/work/none/new", O_CREAT | O_WRONLY, 0600); open("/tmp", O_WRONLY); open("/tmp", O_TMPFILE | O_RDWR, 0600);
  open("/work/new", O_PATH); mkdir("/work/shut", 0); open("/work/shut/in", O_RDONLY); open("/usr/bin/env", O_RDWR);
  syscall(SYS_openat2, AT_FDCWD, "/two", how, sizeof how); how[2] = 4; syscall(SYS_openat2, AT_FDCWD, "/bin/two", how, sizeof how);
  open("\xff\x01", O_RDONLY); symlink("loop", "/work/loop"); open("/work/loop", O_RDONLY);
  printf("done\n"); return 0; }
"""


def test_names_of_every_kind(hood):
    run = hood.run(hood.compile(NAMES, "-static"), options=["--policy", hood.policy("observe.yaml", "observe: [files]\n")])
    assert run.status == 0 and run.text == "done\n", run
    seen = {path: how for path, how in sights(run, "files") if not path.startswith("/nnn")}
    wanted = {"": "tried", "/proc/self/no": "missing", "/proc/selfish": "missing", "nowhere": "tried", "/absolute": "missing", "/work/new": "refused",
              "/work/none/new": "missing", "/tmp": "refused", "/usr/bin/env": "refused", "/two": "missing", "/bin/two": "tried", "/work/loop": "tried"}
    assert wanted.items() <= seen.items(), seen
    rest = {path: how for path, how in seen.items() if path not in wanted}
    assert set(rest) <= {"\ufffd\x01", "/work/shut/in"}, rest
    assert rest["\ufffd\x01"] == "missing" and rest["/work/shut/in"] == "tried", rest
    long = [(len(row["path"]), row.get("truncated", False), row["count"]) for row in run.receipt["observed"]["files"] if row["path"].startswith("/nnn")]
    assert long == [(255, False, 1), (256, True, 3)], long


@pytest.mark.parametrize("user", ["hood", "user_hood"])
def test_a_program_that_hides_its_memory_is_observed(user, request):
    who = request.getfixturevalue(user)
    source = "#include <fcntl.h>\n#include <sys/prctl.h>\nint main(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); open(\"/hidden\", O_RDONLY); return 0; }"
    policy = who.file("observe.yaml", "observe: [files]\nlimits: {memory_bytes_if_available: 512MiB, processes_if_available: 64, cpus_if_available: 1}\n")
    program = who.compile(source, "-static")
    for _ in range(10):
        run = who.run(program, options=["--policy", policy])
        expect_ending(run, "exited", exit_code=0)
        assert sights(run, "files") == {("/hidden", "missing"): 1} and run.receipt["observed"]["unread"] == 0, run.receipt["observed"]


def test_the_policies_of_the_examples(hood):
    for path in sorted((EXAMPLES / "policies").glob("*.yaml")):
        assert re.search(r": right\n", expect_status(hood.call("policy", "check", path), 0).text)


def test_profiles_as_an_ordinary_user(user_hood):
    policy = user_hood.file("strict.yaml", "syscalls: strict\nlimits: {memory_bytes_if_available: 512MiB, processes_if_available: 64, cpus_if_available: 1}\n")
    run = user_hood.run(user_hood.compile(REACHES), options=["--policy", policy])
    assert run.text == "1 1 1 1 1\n" and run.denied("clone") and run.denied("socketpair"), run
