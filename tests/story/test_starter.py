"""What whoever starts fumehood has and is: limits, groups, a filter of system calls. It does not reach a guest unseen."""
import os
import pathlib
import resource
import shutil
import subprocess

import pytest

from hood import *

LIMITS = {"address space": (resource.RLIMIT_AS, 600 << 20, "-Hv"), "data": (resource.RLIMIT_DATA, 600 << 20, "-Hd"),
          "stack": (resource.RLIMIT_STACK, 4 << 20, "-Hs"), "processes": (resource.RLIMIT_NPROC, 20, "-Hu"),
          "open_files": (resource.RLIMIT_NOFILE, 100, "-Hn"), "file_bytes": (resource.RLIMIT_FSIZE, 4096, "-Hf")}


def narrowed(name):
    number, value, _ = LIMITS[name]
    return lambda: resource.setrlimit(number, (value, value))


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_a_limit_of_the_starter_is_refused_with_a_remedy(hood, name):
    words, _ = hood.words(hood.program("print(1)", "py"))
    expect_refusal(hood.call(*words, preexec_fn=narrowed(name)), 126, name, "ulimit %s" % LIMITS[name][2])
    check = hood.call("policy", "check", "default", preexec_fn=narrowed(name))
    assert b"a run with it is refused" in check.out and LIMITS[name][2].encode() in check.out, check


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
@pytest.mark.parametrize("name,key", [("stack", "stack_bytes"), ("processes", "processes"), ("open_files", "open_files"),
                                      ("file_bytes", "file_bytes"), ("time", "cpu_ms")])
def test_what_is_lower_with_leave_is_said(hood, name, key, cage):
    """The receipt tells no limit that is not in force."""
    number, value = {"time": (resource.RLIMIT_CPU, 30), "file_bytes": (resource.RLIMIT_FSIZE, 1 << 20)}.get(name) or LIMITS[name][:2]
    in_force = 1000 * value if name == "time" else value
    source = "import resource\nprint(resource.getrlimit(%d)[1])" % number
    options = ["--cage", cage, "--if-available"]
    run = hood.python(source, options=options, preexec_fn=lambda: resource.setrlimit(number, (value, value)))
    assert expect_status(run, 0).text == "%d\n" % value
    assert run.receipt["limits"][key]["in_force"] == in_force, run.receipt["limits"][key]
    assert [row for row in run.receipt["limits"] if "in_force" in run.receipt["limits"][row]] == [key]


@pytest.mark.parametrize("name", ["address space", "data", "stack"])
def test_a_candidate_is_not_to_blame_for_it(hood, name):
    tasks = hood.file("t.json", '[{"id": "a", "cases": [{"name": "c", "args": [1], "expect": 1}]}]')
    good = hood.file("c/a.py", "def solution(x):\n    return x\n").parent
    done = hood.call("eval", tasks, "--candidates", good, "--out", hood.folder / "out", preexec_fn=narrowed(name))
    assert done.status in (2, 3, 126) and "ulimit" in done.said, done
    rows = results_of(hood.folder / "out") if (hood.folder / "out/results.jsonl").exists() else []
    assert all(row["fault"] != "candidate" for row in rows), rows



@pytest.mark.parametrize("limit,count,option", [
    (resource.RLIMIT_NOFILE, 4, "-n"), (resource.RLIMIT_NOFILE, 8, "-n"), (resource.RLIMIT_NOFILE, 12, "-n"), (resource.RLIMIT_FSIZE, 0, "-f")])
@pytest.mark.parametrize("verb", ["run", "eval"])
def test_what_fumehood_itself_has_too_little_of_is_named(hood, verb, limit, count, option):
    """Also where --if-available goes on without what the guest would have: "Invalid argument" tells nobody."""
    words = ["run", "--if-available", hood.program("print(1)", "py")]
    if verb == "eval":
        words = ["eval", "--if-available", hood.file("t.jsonl", '{"id": "t", "expect": "x"}\n'), "--candidates",
                 hood.file("c.jsonl", '{"task_id": "t", "solution": "print(\'x\')"}\n'), "--out", hood.folder / "out"]
    done = hood.call(*words, preexec_fn=lambda: resource.setrlimit(limit, (count, count)))
    assert done.status == (125 if verb == "run" else 3), done
    expect_one_line(done, "ulimit %s" % option)


def test_a_soft_limit_is_nobodys_business(hood):
    """The shell's own; each that is raised is raised."""
    def soften():
        for number in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            resource.setrlimit(number, (600 << 20, resource.getrlimit(number)[1]))
    run = hood.python("import resource\nprint(*[resource.getrlimit(i)[0] for i in (resource.RLIMIT_AS, resource.RLIMIT_STACK)])",
                      preexec_fn=soften)
    assert expect_status(run, 0).text == "-1 8388608\n"


def test_a_core_limit_of_nothing(hood):
    """Usual where machines are hardened. Without a handler for crashes it is as safe as any."""
    run = hood.python("import os, resource\nprint(resource.getrlimit(resource.RLIMIT_CORE), flush=True)\nos.abort()",
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    if CORE == 0:
        expect_ending(run, "signaled", signal=6)
        assert run.text == "(0, 0)\n"
    else:
        expect_refusal(run, 126, "core", "ulimit -Hc 1", "core_pattern")


def prctl(option, value):
    import ctypes
    assert ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0


def test_what_a_process_hands_on_by_prctl_ends_at_the_cage(hood):
    """Late timers, no huge pages."""
    def launcher():
        prctl(29, 900_000_000)
        prctl(41, 1)
    run = hood.python("import ctypes, time\nC = ctypes.CDLL(None)\nprint(C.prctl(30, 0, 0, 0, 0), C.prctl(42, 0, 0, 0, 0))",
                      preexec_fn=launcher)
    assert expect_status(run, 0).text == "50000 0\n"


def test_memory_that_nobody_may_execute_is_refused(hood):
    """As systemd's MemoryDenyWriteExecute= hands it on: Node.js and Java would fail, and be blamed."""
    import ctypes
    need(ctypes.CDLL(None).prctl(66, 0, 0, 0, 0) >= 0, "this kernel has no PR_SET_MDWE (Linux 6.3)")
    words, _ = hood.words(hood.program("console.log(1)", "js"))
    expect_refusal(hood.call(*words, preexec_fn=lambda: prctl(65, 1)), 126, "memory", "MemoryDenyWriteExecute")


# ---------------------------------------------------------------- groups

WHOSE = """import os
print(os.getgroups(), *os.getresuid(), *os.getresgid())
for path in %r:
    try: print(open(path).read())
    except OSError as why: print(type(why).__name__)
"""
ALONE = "[] 1000 1000 1000 1000 1000 1000\n"


@pytest.fixture
def member(user_hood):
    """An ordinary user who is in further groups; what is refused without control groups goes on without."""
    need(is_root(), "not root: no user with further groups can be had")
    user_hood.as_is = False
    return user_hood


@pytest.fixture
def secrets_below_usr(canary, nonce):
    """Files that only a further group, and only the user, may read; and what is in them."""
    paths = ["/usr/local/share/story-%s-%s" % (nonce, name) for name in ("group", "user")]
    secret = [canary(path) for path in paths][0]
    os.chown(paths[0], 0, GROUPS[2])
    os.chmod(paths[0], 0o640)
    os.chown(paths[1], NOBODY, 0)
    os.chmod(paths[1], 0o400)
    return paths, secret


def doctors_row(hood, name):
    rows = json.loads(hood.call("doctor", "--json").out)["checks"]
    return [row for row in rows if row["name"] == name][0]


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_further_groups_are_dropped(member, secrets_below_usr, cage):
    """And the user's own id is not in the cage: neither a group nor the user can read there."""
    need_newuidmap()
    paths, _ = secrets_below_usr
    run = member.python(WHOSE % paths, options=["--cage", cage])
    assert expect_status(run, 0).text == ALONE + "PermissionError\n" * 2
    assert "identity" in run.receipt["protections"]["achieved"] and "identity" not in run.receipt["protections"]["missing"]
    row = doctors_row(member, "identity")
    assert row["state"] == "ok" and "4, 27, 54321" in row["found"] and "newuidmap" in row["found"], row


def test_each_cage_has_ids_of_its_own(member):
    need_newuidmap()
    processes = [member.start(member.program("import time\nprint(1, flush=True)\ntime.sleep(60)", "py")) for _ in range(2)]
    assert wait_until(lambda: len(member.guests()) == 2, 20), member.guests()
    users = [int(status_field(pid, "Uid").split()[0]) for pid in member.guests()]
    groups = [status_field(pid, "Groups") for pid in member.guests()]
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        expect_ending(finish(process), "cancelled")
    assert len(set(users)) == 2 and all(IDS <= user < IDS + 65536 for user in users), users
    assert groups == ["", ""], groups


def stays(hood, secrets_below_usr, why):
    """They do, and everybody says so."""
    paths, secret = secrets_below_usr
    run = hood.python(WHOSE % paths)
    assert expect_status(run, 0).text.endswith("%s\n%s\n" % (secret, secret)), "if they can be dropped, say that they are"
    assert run.text.startswith("[65534, 65534, 65534"), run
    assert "identity" in run.receipt["protections"]["missing"] and "starter-groups" in run.receipt["residual"]
    assert "identity" not in run.receipt["protections"]["achieved"]
    row = doctors_row(hood, "identity")
    assert row["state"] == "gap" and "54321" in row["found"] and why in row["found"], row
    explained = " ".join(hood.call("policy", "explain", "if-available").out.decode().split())
    assert "MISSING on this machine" in explained and why in explained, explained
    return row["remedy"]


def test_groups_that_stay_are_not_said_to_be_gone(member, secrets_below_usr):
    member.prefix = user_prefix(member.folder, programs="/dev/null")
    need(not has_newuidmap() or "/dev/null" in " ".join(member.prefix), "newuidmap cannot be hidden")
    assert "apt install uidmap" in stays(member, secrets_below_usr, "newuidmap and newgidmap are not installed")


ODD = {"nothing": "", "another's": "bob:400000000:65536\n", "small": "nobody:400000000:1000\n", "one": "nobody:400000000:1\n",
       "not a number": "nobody:abc:65536\n", "octal": "nobody:0400000000:65536\n", "negative": "nobody:-5:65536\n",
       "too many": "nobody:4294000000:4294967295\n", "torn": "nobody:400000000", "no end": "nobody:400000000:65536:::::" * 9999,
       "zeros": "\0" * 70000, "root's": "nobody:0:1024\n"}


@pytest.mark.parametrize("name", sorted(ODD))
def test_a_range_that_is_none_is_not_used(member, secrets_below_usr, name):
    need_newuidmap()
    member.prefix = user_prefix(member.folder, ids=ODD[name])
    why = "too little" if name in ("small", "one", "root's") else "do not both give this user ids"
    assert "ids" in stays(member, secrets_below_usr, why)


GOOD = {"by number": "%d:400000000:65536\n" % NOBODY, "among others": "bob:1:1\n\nnobody:7:7\nnobody:400000000:65536\n",
        "small": "nobody:400000000:1024", "huge": "nobody:100000:4294000000\n",
        "after many": "bob:5:6\n" * 20000 + "nobody:400000000:65536\n"}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_range_in_any_form_is_used(member, name):
    need_newuidmap()
    member.prefix = user_prefix(member.folder, ids=GOOD[name])
    assert expect_status(member.python(WHOSE % []), 0).text == ALONE


def test_no_new_privileges_leave_the_groups(member, secrets_below_usr):
    need_newuidmap()
    member.prefix = user_prefix(member.folder, last=["setpriv", "--no-new-privs"])
    assert "NoNewPrivileges" in stays(member, secrets_below_usr, "no_new_privs")


def test_programs_without_rights_leave_the_groups(member, secrets_below_usr):
    need_newuidmap()
    member.prefix = user_prefix(member.folder, programs="/usr/bin/true")
    assert "set-user-id" in stays(member, secrets_below_usr, "get no rights here")


def test_another_group_than_the_users_own(member):
    """As sg and newgrp leave it; newgidmap refuses."""
    need_newuidmap()
    member.prefix = user_prefix(member.folder, group=27)
    run = member.python(WHOSE % [])
    assert expect_status(run, 0).receipt["protections"]["missing"].count("identity") == 1
    assert "newgrp" in doctors_row(member, "identity")["remedy"]


MAPPERS = {
    "does nothing": "return 0;",
    "fails": "return 1;",
    "dies": "return *(volatile int *)0;",
    "maps all": 'return snprintf(text, 99, "0 0 4294967295\\n") < 0 || write(fd, text, strlen(text)) < 0;',
    "maps another": 'return snprintf(text, 99, "0 %s 1\\n1000 399999999 1\\n", argv[3]) < 0 || write(fd, text, strlen(text)) < 0;',
    "maps one more": 'return snprintf(text, 99, "0 %s 1\\n1000 %s 1\\n5 5 1\\n", argv[3], argv[6]) < 0 || write(fd, text, strlen(text)) < 0;',
    "maps one less": 'return snprintf(text, 99, "0 %s 1\\n", argv[3]) < 0 || write(fd, text, strlen(text)) < 0;',
    "hangs": "for (;;) pause();",
}


@pytest.mark.parametrize("does", sorted(MAPPERS))
def test_what_newuidmap_says_is_not_believed(member, does):
    """Whatever it does, the maps are what was asked for, or no program starts."""
    need_newuidmap()
    mapper = member.compile("""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char text[100];
    snprintf(text, 99, "/proc/%%s/%%s", argv[1], strstr(argv[0], "gid") ? "gid_map" : "uid_map");
    int fd = open(text, O_WRONLY);
    %s
}
""" % MAPPERS[does], "-static")
    mapper.chmod(0o4755)
    member.prefix = user_prefix(member.folder, programs=mapper)
    words, receipt = member.words(member.program("print('started')", "py"))
    expect_refusal(member.call(*words), 125, "[ug]id_map", "setpriv --no-new-privs")
    assert processes_with(str(mapper.name)) == []


def test_newuidmap_gets_nothing_but_its_words(member):
    """No environment, no descriptor; and an ignored SIGCHLD reaps it before anybody can."""
    need_newuidmap()
    seen = member.folder / "seen"
    mapper = member.compile("""
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv, char **environment)
{
    FILE *seen = fopen("%s", "a");
    char path[300], target[300] = "";
    int count = 0;
    fprintf(seen, "%%s %%d words, environment %%s\\n", argv[0], argc, environment[0] ? environment[0] : "empty");
    for (int fd = 0; fd < 1000; fd++) {
        snprintf(path, 99, "/proc/self/fd/%%d", fd);
        ssize_t n = fd == fileno(seen) ? -1 : readlink(path, target, 299);
        if (n >= 0) fprintf(seen, "%%d %%.*s\\n", fd, (int)n, target);
    }
    return 0;
}
""" % seen, "-static")
    mapper.chmod(0o4755)
    member.prefix = user_prefix(member.folder, programs=mapper)
    words, _ = member.words(member.program("print('started')", "py"))
    expect_status(member.call(*words, env=dict(os.environ, SECRET="1")), 125)
    lines = set(seen.read_text().splitlines())
    assert lines == {"/usr/bin/newgidmap 8 words, environment empty", "/usr/bin/newuidmap 8 words, environment empty",
                     "0 /dev/null", "1 /dev/null", "2 /dev/null"}, lines
    member.prefix = user_prefix(member.folder)
    run = member.python(WHOSE % [], preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert expect_status(run, 0).text == ALONE


def test_closed_streams_are_no_matter(member):
    need_newuidmap()
    member.prefix = user_prefix(member.folder, last=["sh", "-c", 'exec "$@" <&- 2>&-', "sh"])
    assert expect_status(member.python(WHOSE % []), 0).text == ALONE


def test_without_further_groups_none_is_claimed_and_none_is_there(member, strace):
    """And nothing is started for it."""
    member.prefix = user_prefix(member.folder, groups=(), last=["strace", "-f", "-o", member.folder / "calls", "-e", "trace=execve"])
    run = member.python("import os\nprint(set(os.getgroups()) <= {1000})")
    assert expect_status(run, 0).text == "True\n" and "identity" in run.receipt["protections"]["achieved"]
    assert "idmap" not in (member.folder / "calls").read_text()
    assert doctors_row(member, "identity")["found"] == "no further group"


def test_roots_groups_do_not_enter(hood):
    need(is_root(), "not root: groups are dropped by root only")
    need(shutil.which("setpriv"), "setpriv is not installed: no group is added to root's")
    hood.prefix = ["setpriv", "--groups=4,27"]
    run = hood.python("import os\nprint(os.getgroups())")
    assert expect_status(run, 0).text == "[]\n" and "identity" in run.receipt["protections"]["achieved"]


def test_groups_of_a_root_that_cannot_drop_them(hood):
    """Of a user namespace of its own, say: the kernel lets nobody set groups there."""
    need(is_root(), "not root: no group is added to root's")
    hood.prefix = ["setpriv", "--groups=4,27", "unshare", "--user", "--map-root-user"]
    need(subprocess.run(hood.prefix + ["true"], capture_output=True).returncode == 0, "unshare makes no user namespace here")
    run = hood.python("import os\nprint(os.getgroups())", options=["--if-available"])
    assert expect_status(run, 0).text != "[]\n" and "identity" in run.receipt["protections"]["missing"]


@pytest.mark.parametrize("programs", [None, "/dev/null"])
def test_a_member_of_groups_has_no_red_row_for_it(member, programs):
    need_newuidmap()
    member.prefix = user_prefix(member.folder, programs=programs)
    shutil.copytree(BINARY.parent / "attacks/fs-set-id", member.folder / "attacks/fs-set-id")
    done = member.call("drill", "--json", "--attacks", member.folder / "attacks", "--only", "fs-set-id", timeout=120)
    (row,) = json.loads(done.out)["attacks"]
    assert row["result"] != "red", row


# ---------------------------------------------------------------- a filter that was there first

LAUNCHER = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define IF_IS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define IF_HAS(bits, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip)
#define DO(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
int main(int argc, char **argv)
{
    struct sock_filter code[] = {NUMBER, RULES DO(ALLOW)};
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    if (getuid() != 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, 2, &program) < 0)
        return 111;
    execv(argv[1], argv + 1);
    return 112;
}
"""


def start_below(hood, rules):
    """fumehood below a filter that was there first, as systemd and containers set one."""
    hood.prefix = [str(hood.compile(LAUNCHER.replace("RULES", rules), "-static"))]
    return hood


@pytest.fixture
def filtered(hood):
    """It answers the making of sockets by itself."""
    return start_below(hood, "IF_IS(SYS_socket, 3), ARGUMENT(0), IF_IS(2, 1), DO(ERRNO | EAFNOSUPPORT),")


def expect_a_filter_is_named(run, names):
    """Nothing is said to have run, no limit to have been met, and what is to be let pass is said."""
    assert run.status == 125 and run.out == b"" and run.err.count(b"\n") == 1, run
    assert re.search("filter|failed|makes no cage", run.said), run
    for name in names:
        assert name in run.said, run
    if run.receipt_path.exists():
        assert run.receipt["ending"]["kind"] == "setup-error" and run.receipt["ending"]["limit"] is None


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
@pytest.mark.parametrize("action", ["ERRNO | EPERM", "KILL_PROCESS"])
@pytest.mark.parametrize("names", [["landlock_create_ruleset", "mount_setattr"], ["landlock_restrict_self"], ["seccomp"], ["sethostname"],
                                   ["fsopen", "sethostname"]], ids="+".join)
def test_a_filter_that_refuses_what_a_cage_needs_is_named(hood, names, action, cage):
    """As SystemCallFilter= of a unit does: by an error, or by ending whoever makes such a call."""
    start_below(hood, " ".join("IF_IS(SYS_%s, 1), DO(%s)," % (name, action) for name in names))
    expect_a_filter_is_named(hood.python("print(1)", options=["--cage", cage]), names)


def test_memory_that_may_not_be_executed_is_refused_whoever_forbids_it(hood):
    """systemd's MemoryDenyWriteExecute= is a filter before its release 253; Node.js and Java would fail by it."""
    start_below(hood, "IF_IS(SYS_mprotect, 3), ARGUMENT(2), IF_HAS(4, 1), DO(ERRNO | EPERM),")
    run = hood.python("print(1)")
    assert run.status == 126 and "MemoryDenyWriteExecute=no" in run.said, run


SOCKET = "import socket\ntry: socket.socket()\nexcept OSError as why: print(why.errno)\n"


def test_a_receipt_says_that_denials_may_be_unseen(filtered):
    run = filtered.python(SOCKET)
    assert expect_status(run, 0).text == "97\n"
    assert run.denials == {} and run.receipt["denials_complete"] is False
    shown = filtered.call("receipt", "show", run.receipt_path)
    assert b"earlier filter" in shown.out, shown
    doctor = filtered.call("doctor", "--all")
    assert "a system call filter was here first" in " ".join(doctor.out.decode().split()), doctor


def test_without_an_earlier_filter_they_are_complete(hood):
    run = hood.python(SOCKET)
    assert expect_status(run, 0).text == "1\n" and run.receipt["denials_complete"] is True
    assert run.denials == {("network", "socket(AF_INET)"): 1}


@pytest.mark.parametrize("clause", ["denials: end", "denials: fail", "denied_calls: 3"])
def test_what_counts_denials_is_refused(filtered, clause):
    policy = filtered.policy("counts.yaml", clause + "\n")
    words, _ = filtered.words(filtered.program(SOCKET, "py"), options=["--policy", policy])
    expect_refusal(filtered.call(*words), 126, clause.split(":")[0], "seccomp")


# ---------------------------------------------------------------- sockets that are made and never used

def test_a_violation_by_a_socket_says_what_to_do(hood):
    """Libraries make sockets to see what there is. A denial cannot know what it would have been used for."""
    policy = hood.policy("fail.yaml", "denials: fail\n")
    open_policy = hood.policy("open.yaml", "denials: fail\nnetwork: loopback\n")
    tasks = hood.file("t.json", '[{"id": "a", "cases": [{"name": "c", "args": [1], "expect": 1}]}]')
    good = hood.file("c/a.py", "import uuid, socket\nuuid.uuid1()\ntry: socket.socket(socket.AF_INET6).close()\n"
                               "except OSError: pass\ndef solution(x):\n    return x\n").parent
    for name, wanted in ((policy, "violation"), (open_policy, "pass")):
        out = hood.folder / ("out-" + wanted)
        hood.call("eval", tasks, "--candidates", good, "--out", out, "--policy", name)
        (row,) = results_of(out)
        assert row["verdict"] == wanted, row
        assert wanted == "pass" or ("socket(AF_INET" in row["detail"] and "network: loopback" in row["detail"]), row
