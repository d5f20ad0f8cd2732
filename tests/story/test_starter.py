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

@pytest.fixture
def member(user_hood):
    """An ordinary user who is in further groups."""
    need(is_root(), "not root: no user with further groups can be had")
    user_hood.prefix = [word.replace("--clear-groups", "--groups=4,27,54321") for word in user_hood.prefix]
    return user_hood


def test_groups_that_stay_are_not_said_to_be_gone(member, user_hood, canary, nonce):
    path = "/usr/local/share/story-%s" % nonce
    secret = canary(path)
    os.chown(path, 0, 54321)
    os.chmod(path, 0o640)
    member.as_is = False
    run = member.python("import os\nprint(len(os.getgroups()) >= 3)\nprint(open(%r).read())" % path)
    expect_status(run, 0)
    assert "identity" in run.receipt["protections"]["missing"] and "starter-groups" in run.receipt["residual"]
    assert "identity" not in run.receipt["protections"]["achieved"]
    assert run.text == "True\n%s\n" % secret, "they cannot be dropped here: if they can, say that they are"
    doctor = member.call("doctor", "--all")
    assert "4, 27, 54321" in " ".join(doctor.out.decode().split()), doctor


def test_without_further_groups_none_is_claimed_and_none_is_there(user_hood):
    user_hood.as_is = False
    run = user_hood.python("import os\nprint(set(os.getgroups()) <= {1000})")
    assert expect_status(run, 0).text == "True\n" and "identity" in run.receipt["protections"]["achieved"]


def test_roots_groups_do_not_enter(hood):
    need(is_root(), "not root: groups are dropped by root only")
    need(shutil.which("setpriv"), "setpriv is not installed: no group is added to root's")
    hood.prefix = ["setpriv", "--groups=4,27"]
    run = hood.python("import os\nprint(os.getgroups())")
    assert expect_status(run, 0).text == "[]\n" and "identity" in run.receipt["protections"]["achieved"]


def test_a_member_of_groups_has_no_red_row_for_it(member):
    shutil.copytree(BINARY.parent / "attacks/fs-set-id", member.folder / "attacks/fs-set-id")
    done = member.call("drill", "--json", "--attacks", member.folder / "attacks", "--only", "fs-set-id", timeout=120)
    (row,) = json.loads(done.out)["attacks"]
    assert row["result"] != "red", row


# ---------------------------------------------------------------- a filter that was there first

@pytest.fixture
def filtered(hood):
    """fumehood below a filter that answers the making of sockets by itself, as systemd and containers set one."""
    launcher = hood.compile("""
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    if (getuid() != 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, 2, &program) < 0)
        return 111;
    execv(argv[1], argv + 1);
    return 112;
}
""", "-static")
    hood.prefix = [str(launcher)]
    return hood


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
