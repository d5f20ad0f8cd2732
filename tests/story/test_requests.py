"""What a program may ask of files, terminals and sockets by ioctl, fcntl, prctl and setsockopt."""
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

from hood import *

ASK = """
import ctypes, errno, os, socket, sys
C = ctypes.CDLL(None, use_errno=True)
def ask(what, *call):
    ctypes.set_errno(0)
    result = C.syscall(*[ctypes.c_long(word) if isinstance(word, int) else word for word in call])
    print(what, errno.errorcode.get(ctypes.get_errno(), "done") if result < 0 else "done", flush=True)
IOCTL, FCNTL, PRCTL, SETSOCKOPT = 16, 72, 157, 54
room = ctypes.create_string_buffer(b"lo", 4096)
"""


def answers(run):
    return dict(line.split() for line in expect_status(run, 0).text.splitlines())


def test_the_machines_own_requests_are_denied_and_named(hood):
    """By any descriptor, with any upper half: what makes the kernel load a module, or look at a disk, is not asked."""
    run = hood.python(ASK + """
unix, pipe, file, null = socket.socket(socket.AF_UNIX), os.pipe()[0], os.open("/usr/bin/env", 0), os.open("/dev/null", 0)
for name, request in (("vlan", 0x8982), ("bridge", 0x8940), ("map", 0xc0c0583b), ("trim", 0xc0185879), ("line", 0x5423),
                      ("sti", 0x5412), ("flags", 0x8913), ("unknown", 0x12345678)):
    for fd in (unix.fileno(), pipe, file, null):
        for high in (0, 1 << 32, -1 << 32):
            ask("%s-%d-%d" % (name, fd, high), IOCTL, fd, request | high, room)
""")
    assert set(answers(run).values()) == {"EPERM"}, run
    expected = {"SIOCGIFVLAN", "SIOCGIFBR", "FS_IOC_GETFSMAP", "FITRIM", "TIOCSETD", "TIOCSTI", "SIOCGIFFLAGS", "0x12345678"}
    assert run.denials == {("device", "ioctl(%s)" % name): 12 for name in expected}


def test_what_programs_ask_in_passing_is_no_attempt(hood):
    """Copies, databases and the C library ask whether there is something better. They are told that there is not."""
    policy = hood.policy("end.yaml", "denials: end\n")
    run = hood.python(ASK + """
import shutil
a, b = os.open("a", os.O_RDWR | os.O_CREAT), os.open("b", os.O_RDWR | os.O_CREAT)
ask("clone", IOCTL, b, 0x40049409, a)
ask("clone-high", IOCTL, b, 0x40049409 | 1 << 40, a)
ask("range", IOCTL, b, 0x4020940d, room)
ask("holes", IOCTL, a, 0xc020660b, room)
ask("flags", IOCTL, a, 0x80086601, room)
ask("set", IOCTL, a, 0x40086602, room)
ask("block", IOCTL, a, 2, room)
ask("batch", IOCTL, a, 0x8004f50c, room)
ask("hint", FCNTL, a, 1036, room)
ask("name", PRCTL, 0x53564d41, 0, 0, 0, 0)
""", options=["--policy", policy])
    assert answers(run) == {"clone": "ENOTSUP", "clone-high": "ENOTSUP", "range": "ENOTSUP", "holes": "ENOTSUP",
                            "flags": "ENOTTY", "set": "ENOTTY", "block": "ENOTTY", "batch": "ENOTTY", "hint": "EINVAL",
                            "name": "EINVAL"}
    assert run.denials == {}


def test_a_profile_without_ioctl_has_it_for_nothing(hood):
    policy = hood.policy("narrow.yaml", "syscalls: {name: narrow, allow: [execve, exit_group, exit, write, read, brk, mmap, "
                         "munmap, mprotect, arch_prctl, close, openat, newfstatat, fstat, pread64, set_tid_address, "
                         "set_robust_list, rseq, prlimit64, getrandom]}\n")
    run = hood.run(hood.compile("""
#include <errno.h>
#include <sys/ioctl.h>
int main(void) { return ioctl(1, 0x40049409, 0) < 0 && errno == EPERM ? 0 : 1; }
""", "-static"), options=["--policy", policy])
    expect_status(run, 0)
    assert ("device", "ioctl(FICLONE)") in run.denials, run.receipt["denials"]


def test_copies_and_archives_work_and_leave_no_denial(hood):
    """With the tools that ask first; each is tried bare, too, so that a missing one is no fault of the cage."""
    policy = hood.policy("end.yaml", "denials: end\n")
    tools = ["cp a b", "cp --reflink=auto a b2", "cp --sparse=auto a b3", "install a b4", "mv b b5", "tar cf a.tar a b5",
             "tar xf a.tar", "ls -l --color=auto", "dd if=a of=b6", "cat a", "lsattr a || :", "sort a", "stty -a || :"]
    run = hood.shell("set -e\necho a > a\n" + "\n".join("%s >/dev/null 2>&1" % tool for tool in tools) + "\necho all\n",
                     options=["--policy", policy])
    assert expect_status(run, 0).text == "all\n"
    assert run.denials == {}


def test_descriptors_are_set_up_as_anywhere(hood):
    policy = hood.policy("end.yaml", "denials: end\n")
    run = hood.python("""
import fcntl, os, socket, subprocess, termios, array
a, b = socket.socketpair()
a.settimeout(1); a.setblocking(False)
os.set_inheritable(a.fileno(), True); os.set_inheritable(a.fileno(), False)
b.send(b"1234567")
count = array.array("i", [0])
fcntl.ioctl(a, termios.FIONREAD, count); print(count[0])
fcntl.ioctl(b, termios.TIOCOUTQ, count); print(count[0] > 0)
print(os.isatty(0), subprocess.run(["true"]).returncode)
""", options=["--policy", policy])
    assert expect_status(run, 0).text == "7\nTrue\nFalse 0\n"


def test_java_finds_its_loopback(hood):
    """It asks for its interfaces for every socket, in seven ways."""
    need(shutil.which("javac"), "no Java is installed: what it asks of sockets is not tested")
    policy = hood.policy("loopback.yaml", "network: loopback\n")
    run = hood.shell("""
cat >Main.java <<'END'
import java.net.*;
public class Main {
    public static void main(String[] arguments) throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket one = new Socket(server.getInetAddress(), server.getLocalPort()), other = server.accept();
        one.getOutputStream().write(42);
        System.out.println(other.getInputStream().read());
        DatagramSocket datagrams = new DatagramSocket(0);
        System.out.println(datagrams.getLocalPort() > 0);
    }
}
END
java -Xmx256m Main.java
""", options=["--policy", policy, "--limit", "wall_ms=60s", "--limit", "memory_bytes=1GiB", "--limit", "processes=256"])
    assert expect_status(run, 0).text == "42\ntrue\n"
    assert not run.denied("ioctl"), run.receipt["denials"]


def test_options_of_tcp_that_load_ciphers_are_denied(hood):
    policy = hood.policy("loopback.yaml", "network: loopback\n")
    run = hood.python(ASK + """
tcp, udp = socket.socket(socket.AF_INET), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for option in (14, 31, 32, 33, 37, 38, 4096):
    ask("tcp-%d" % option, SETSOCKOPT, tcp.fileno(), 6 | 1 << 32, option, room, 64)
for option in (100, 104):
    ask("udp-%d" % option, SETSOCKOPT, udp.fileno(), 17, option, room, 4)
for option in (socket.TCP_NODELAY, socket.TCP_KEEPIDLE, socket.TCP_USER_TIMEOUT, 36):
    tcp.setsockopt(socket.IPPROTO_TCP, option, 1)
""", options=["--policy", policy])
    assert set(answers(run).values()) == {"EPERM"}, run
    assert {"setsockopt(TCP_MD5SIG)", "setsockopt(TCP_ULP)", "setsockopt(TCP_AO_ADD_KEY)", "setsockopt(UDP_ENCAP)",
            "setsockopt(UDP_GRO)", "setsockopt(4096)"} <= {what for _, what in run.denials}


def test_what_reaches_beyond_the_cage_by_fcntl_and_prctl(hood):
    run = hood.python(ASK + """
file = os.open("/usr/bin/env", 0)
for name, command in (("notify", 1026), ("lease", 1024), ("delegation", 1040)):
    ask(name, FCNTL, file, command | 1 << 33, 0)
ask("hint", FCNTL, file, 1036, room)
ask("siblings", PRCTL, 62, 1, 0, 0, 0)
ask("range", 277, file, 0, 0, 7)
""")
    found = answers(run)
    assert found.pop("range") == "done" and found.pop("hint") == "EINVAL"
    assert set(found.values()) == {"EPERM"}
    assert {what for _, what in run.denials} == {"fcntl(F_NOTIFY)", "fcntl(F_SETLEASE)", "fcntl(F_SETDELEG)",
                                                 "prctl(PR_SCHED_CORE)"}


@pytest.mark.parametrize("status", [0, 126])
def test_an_attempt_counts_though_its_caller_is_killed_in_it(hood, status):
    """The kernel forgets the call of who dies before it is read; that there was one is seen by the numbers of the others.
    The process that reads is stopped meanwhile, so that the caller is killed first in any case."""
    need(is_root(), "not root: the first process of a cage cannot be stopped by an ordinary user")
    policy = hood.policy("d.yaml", "denied_calls: 2\n" if status else "denials: record\n")
    process = hood.start(hood.program("""
import os, socket
def attempt():
    try: socket.socket()
    except OSError: pass
attempt()
print("ready", flush=True)
os.read(0, 1)
child = os.fork()
if child == 0:
    attempt()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
attempt()
""", "py"), options=["--policy", policy], stdin=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    (guest,) = hood.guests()
    reader = int(status_field(guest, "PPid"))
    os.kill(reader, signal.SIGSTOP)
    try:
        process.stdin.write(b"1")
        process.stdin.flush()
        child = wait_until(lambda: set(hood.guests()) - {guest}, 10).pop()
        assert wait_until(lambda: pathlib.Path("/proc/%d/syscall" % child).read_text().startswith("41 "), 10)
        os.kill(child, signal.SIGKILL)
        assert wait_until(lambda: not os.path.exists("/proc/%d" % child), 10)
    finally:
        os.kill(reader, signal.SIGCONT)
    run = finish(process)
    assert (run.status, run.text) == (status, "-9\n"), run
    unread = ("syscall", "call(unread)")
    assert run.denials == {unread: 1, ("network", "socket(AF_INET)"): 1 if status else 2}, run.denials
