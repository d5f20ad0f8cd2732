"""What a guest can see, reach and ask for. Every claim is tried from inside and watched from outside."""
import ctypes
import fcntl
import fnmatch
import os
import pty
import re
import select
import socket
import termios

import pytest

from hood import *

# ---------------------------------------------------------------- files


@pytest.mark.parametrize("place", ["/home", "/root", "/var", "/etc", "/tmp", "/opt", "/srv", "/mnt", "/run", "/dev/shm", "/"])
def test_host_files_are_not_there(hood, canary, place):
    need(os.path.isdir(place), "%s is not a folder here" % place)
    path = "%s/fumehood-story-%s" % (place.rstrip("/"), hood.nonce)
    secret = canary(path)
    run = hood.python("""
import os, sys
found = []
for top in ('/', '/proc/self/root', '/proc/1/root', '/proc/self/cwd/../..', '..', '../../..'):
    try: found.append(open(top + sys.argv[1]).read())
    except OSError: pass
for top, folders, files in os.walk('/'):
    if top.startswith(('/proc', '/usr/lib', '/usr/share', '/lib')): folders[:] = []; continue
    if any(sys.argv[2] in name for name in files): found.append(top)
print(found)
""", path, "fumehood-story-" + hood.nonce, marked=False, options=["--limit", "wall_ms=30s"])
    assert run.status == 0 and run.out == b"[]\n", run
    assert secret.encode() not in run.receipt_path.read_bytes()


def test_the_root_is_read_only_and_small(hood):
    run = hood.python("""
import os
print(sorted(os.listdir('/')))
for place in ('/', '/usr', '/usr/bin', '/etc', '/dev', '/proc', '/usr/lib', '/bin'):
    try:
        open(place + '/story', 'w'); print('wrote', place)
    except OSError as why:
        pass
    try:
        os.mkdir(place + '/storydir'); print('made', place)
    except OSError as why:
        pass
try: print('scratch', os.listdir('/scratch'))
except OSError: pass
print(sorted(os.listdir('/var')) if os.path.exists('/var') else [])
print(sorted(os.listdir('/etc')))
""")
    expect_status(run, 0)
    assert set(eval(run.text.splitlines()[-2])) <= {"cache", "lib"}, run  # some languages' settings
    assert b"wrote" not in run.out and b"made" not in run.out and b"\nscratch" not in run.out, run
    top = eval(run.text.splitlines()[0])
    assert set(top) <= {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "scratch", "tmp", "usr", "var", "work"}, top
    assert not {"shadow", "ssh", "hostname", "machine-id", "sudoers", "gshadow"} & set(eval(run.text.splitlines()[-1]))


def test_mounts_are_what_the_receipt_says(hood):
    run = hood.python("print(open('/proc/self/mountinfo').read())")
    expect_status(run, 0)
    inside = {}
    for line in run.text.splitlines():
        fields = line.split()
        if len(fields) > 5:
            inside[fields[4]] = fields[5]
    for at, flags in inside.items():
        assert "nosuid" in flags, (at, flags)
        assert "nodev" in flags or at.startswith("/dev"), (at, flags)
        assert "ro" in flags.split(",") or at in ("/work", "/tmp", "/dev/shm") or at.startswith(("/proc", "/dev/")), (at, flags)
    listed = {row["at"] for row in run.receipt["mounts"]}
    for at in ("/work", "/tmp", "/usr", "/proc"):
        assert at in listed, listed
    unlisted = {at for at in inside if not any(fnmatch.fnmatch(at, pattern) for pattern in listed)}
    assert unlisted <= {"/"} | {at for at in inside if at.startswith(("/proc/", "/dev"))}, unlisted
    assert not [at for at in inside if at.startswith((str(hood.folder), "/home", "/root", "/run", "/sys"))], inside
    assert {at for at in inside if at.startswith("/var")} <= {row["at"] for row in run.receipt["mounts"] if row["kind"] == "host-settings"}
    # all but the kernel's column of what is mounted, which says how the host itself lies on its disks
    shown = "\n".join(" ".join(line.split()[:3] + line.split()[4:]) for line in run.text.splitlines())
    host_words = [str(hood.folder), "/home", "/root", "overlay", "upperdir"]
    assert not [word for word in host_words if word in shown], shown
    assert str(hood.folder) not in run.text, run.text


def test_devices_are_the_five(hood):
    run = hood.python("""
import os, stat
for name in sorted(os.listdir('/dev')):
    mode = os.lstat('/dev/' + name).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode): print(name)
for name, kind in (('c', stat.S_IFCHR), ('b', stat.S_IFBLK)):
    for place in ('/work/', '/tmp/'):
        try: os.mknod(place + name, kind | 0o666, os.makedev(1, 3)); print('made')
        except OSError: pass
open('/dev/null', 'w').write('x'); print(open('/dev/zero', 'rb').read(3), len(open('/dev/urandom', 'rb').read(3)))
try: open('/dev/full', 'w', buffering=1).write('x\\n')
except OSError as why: print(why.errno)
""")
    assert run.text == "full\nnull\nrandom\nurandom\nzero\nb'\\x00\\x00\\x00' 3\n28\n", run


def test_proc_is_masked(hood):
    run = hood.python("""
import os
print('pids', sorted(int(n) for n in os.listdir('/proc') if n.isdigit())[-1] < 20)
def reads(path):
    try:
        with open(path, 'rb') as file: return bool(file.read(1))
    except OSError: return False
for path in ('/proc/kcore', '/proc/kmsg', '/proc/kallsyms', '/proc/sysrq-trigger', '/proc/keys', '/proc/timer_list', '/proc/sched_debug',
             '/proc/1/environ', '/proc/1/mem', '/proc/1/maps', '/proc/config.gz', '/proc/sys/kernel/core_pattern_x', '/proc/vmallocinfo', '/proc/slabinfo'):
    if reads(path): print('reads', path)
for path in ('/proc/sys/kernel/hostname', '/proc/sys/kernel/core_pattern', '/proc/sys/vm/drop_caches', '/proc/sysrq-trigger', '/proc/sys/kernel/ns_last_pid',
             '/proc/sys/net/ipv4/ip_forward', '/proc/self/oom_score_adj_x', '/proc/1/oom_score_adj', '/proc/irq/default_smp_affinity', '/proc/self/uid_map', '/proc/self/setgroups'):
    try:
        fd = os.open(path, os.O_WRONLY); os.close(fd); print('opens', path)
    except OSError: pass
""")
    lines = [line for line in run.text.splitlines() if line not in ("opens /proc/self/uid_map", "opens /proc/self/setgroups")]
    assert lines == ["pids True"], run


def test_sys_is_absent(hood):
    run = hood.python("import os\nprint(os.path.exists('/sys'), os.path.exists('/sys/fs/cgroup'), os.path.exists('/run'), os.path.exists('/var/run'))")
    assert run.text == "False False False False\n", run


def test_cgroup_paths_do_not_tell_about_the_host(hood):
    run = hood.python("print(open('/proc/self/cgroup').read() if __import__('os').path.exists('/proc/self/cgroup') else '')")
    paths = [line.split(":", 2)[2] for line in run.text.split() if line.count(":") >= 2]
    assert all(path == "/" for path in paths), paths


SPY = r"""
import os, glob
for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/task/*/environ') + glob.glob('/proc/*/cmdline') + glob.glob('/proc/*/auxv') + glob.glob('/proc/*/comm'):
    try: os.write(1, open(path, 'rb').read())
    except OSError: pass
for name in ('/proc/self/maps', '/proc/self/mem'):
    pass
# the process's own memory: is there anything of the launcher in it?
try:
    mem = open('/proc/self/mem', 'rb', 0)
    for line in open('/proc/self/maps'):
        a, b = (int(x, 16) for x in line.split()[0].split('-'))
        if 'r' not in line.split()[1] or b - a > 64 << 20 or '[v' in line: continue
        try:
            mem.seek(a); data = mem.read(b - a)
        except (OSError, ValueError): continue
        at = data.find(b'launcher-' + b'only-')
        if at >= 0: os.write(1, data[at:at + 64])
except OSError: pass
"""


def test_the_launchers_secrets_do_not_enter(hood):
    secret = "launcher-only-" + hood.nonce[::-1]
    run = hood.python(SPY, env=dict(os.environ, API_KEY=secret, OTHER=secret), marked=False)
    assert secret.encode() not in run.out + run.err + run.receipt_path.read_bytes()
    run = hood.shell("cat /proc/1/environ /proc/$PPID/environ /proc/self/environ; ls -l /proc/1/fd /proc/1/cwd /proc/1/exe", env=dict(os.environ, API_KEY=secret), marked=False)
    assert secret.encode() not in run.out + run.err


@pytest.mark.parametrize("mode", [0o4755, 0o2755])
def test_with_borrowed_rights_it_refuses(user_hood, mode):
    """Set-uid, everybody could read every file, as a program."""
    need(is_root(), "not root: no program can be made set-uid")
    need(b"__asan_init" not in BINARY.read_bytes(), "a sanitizer cannot trace a program with borrowed rights, and ends it")
    os.chown(user_hood.binary, 0, 0)
    os.chmod(user_hood.binary, mode)
    need(not os.statvfs(user_hood.binary).f_flag & os.ST_NOSUID, "set-uid has no effect where the tests work")
    for words in (("run", user_hood.file("a.sh", "echo ran")), ("version",), ("doctor",)):
        run = user_hood.call(*words)
        assert run.out == b""
        expect_refusal(run, 125, "set-uid", "take them away")


def test_no_descriptor_of_the_launcher_is_inherited(hood):
    secret = hood.file("secret", "descriptor-secret")
    opened = os.open(secret, os.O_RDONLY)
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    copies = []
    try:
        for number in [*range(20, 60), 100, 255, 256, 500, 900, 1000]:
            os.dup2(folder if number % 2 else opened, number)
            copies.append(number)
        run = hood.python("""
import os
seen = []
for fd in range(3, 1100):
    try: os.fstat(fd); seen.append(fd)
    except OSError: pass
print(seen)
""", pass_fds=tuple(copies))
    finally:
        for number in copies + [opened, folder]:
            os.close(number)
    assert run.text == "[]\n", run


def test_the_first_process_holds_what_it_watches_and_no_more(hood):
    """While the guest runs: a filter's listener, its children's signals, the line to the supervisor, the scratch, the lock."""
    need(is_root(), "only root may look at the descriptors of a cage's first process")
    process = hood.start(hood.program("sleep 20", "sh"))
    try:
        guest = wait_until(hood.guests, 10)[0]
        first = int(status_field(guest, "PPid"))
        folder = pathlib.Path("/proc/%d/fd" % first)
        def held():
            return sorted(re.sub(r"[\d\[\]]+$", "", os.readlink(link)) for link in folder.iterdir())
        listed = wait_until(lambda: held() if len(held()) <= 5 else None, 5) or held()
        assert sorted(re.sub(r".*/slots/$", "lock", name) for name in listed) == \
            ["/scratch", "anon_inode:[signalfd", "anon_inode:seccomp notify", "lock", "socket:"], listed
    finally:
        process.terminate()
        finish(process)


# ---------------------------------------------------------------- identity

def test_no_capability_and_no_new_privilege(hood):
    run = hood.python("print(open('/proc/self/status').read())")
    status = dict(re.findall(r"^(\w+):\s+(.*)$", run.text, re.M))
    for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[field], 16) == 0, (field, status[field])
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert status["Uid"].split() == ["1000"] * 4 and status["Gid"].split() == ["1000"] * 4


def test_set_uid_has_no_effect(hood):
    run = hood.python("""
import os, shutil, subprocess
for tool in ('/usr/bin/su', '/usr/bin/passwd', '/usr/bin/mount', '/usr/bin/newgrp', '/usr/bin/sudo'):
    if os.path.exists(tool): break
shutil.copy('/usr/bin/id', '/work/id'); 
try: os.chmod('/work/id', 0o6755)
except OSError: pass
print(subprocess.run(['/work/id', '-u'], capture_output=True, text=True).stdout.strip())
for call in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.setresuid(0, 0, 0), lambda: os.chown('/work/id', 0, 0)):
    try: call(); print('allowed')
    except OSError: pass
print(os.getuid(), os.geteuid())
""")
    assert run.text == "1000\n1000 1000\n", run


def test_each_cage_has_its_own_host_uid(hood):
    need(is_root(), "not root: all cages of one user share his id")
    program = hood.program("import time\nprint('up', flush=True)\ntime.sleep(60)", "py")
    running = [hood.start(program) for _ in range(3)]
    try:
        for process in running:
            assert process.stdout.readline() == b"up\n"
        uids = {}
        for pid in hood.guests():
            uids.setdefault(status_field(pid, "Uid").split()[0], []).append(pid)
        assert len(uids) == 3 and "0" not in uids and "1000" not in uids, uids
        for pids in uids.values():
            for pid in pids:
                assert len(set(status_field(pid, "Uid").split())) == 1 and status_field(pid, "CapEff").strip("0") == ""
    finally:
        for process in running:
            process.terminate()
        for process in running:
            finish(process)


def test_namespaces_are_its_own(hood):
    process = hood.start(hood.program("import time\nprint('up', flush=True)\ntime.sleep(60)", "py"))
    try:
        assert process.stdout.readline() == b"up\n"
        pid = max(hood.guests())
        for name in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup"):
            assert os.readlink("/proc/%d/ns/%s" % (pid, name)) != os.readlink("/proc/self/ns/%s" % name), name
    finally:
        process.terminate()
        finish(process)


def test_the_host_name_does_not_enter(hood):
    run = hood.python("import os\nprint(os.uname().nodename)")
    assert run.text.strip() != os.uname().nodename, run


# ---------------------------------------------------------------- network

def test_the_hosts_listeners_are_out_of_reach(hood):
    with socket.socket() as inet, socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract:
        inet.bind(("127.0.0.1", 0))
        named.bind("/tmp/story-%s.sock" % hood.nonce)
        abstract.bind("\0story-" + hood.nonce)
        try:
            for listener in (inet, named, abstract):
                listener.listen(5)
            run = hood.python("""
import socket, sys
port, nonce = int(sys.argv[1]), sys.argv[2]
for family, peer in ((socket.AF_INET, ('127.0.0.1', port)), (socket.AF_INET, ('0.0.0.0', port)), (socket.AF_INET6, ('::1', port)),
                     (socket.AF_UNIX, '/tmp/story-%s.sock' % nonce), (socket.AF_UNIX, '\\0story-' + nonce)):
    try:
        s = socket.socket(family); s.settimeout(2); s.connect(peer); print('connected', peer)
    except OSError as why: pass
""", str(inet.getsockname()[1]), hood.nonce, marked=False)
            assert run.out == b"" and run.status == 0, run
            assert select.select([inet, named, abstract], [], [], 0)[0] == []
            assert any(row["class"] == "network" and "AF_INET" in row["what"] for row in run.receipt["denials"]), run.receipt["denials"]
        finally:
            os.unlink("/tmp/story-%s.sock" % hood.nonce)


@pytest.mark.parametrize("family,name", [(2, "AF_INET"), (10, "AF_INET6"), (16, "AF_NETLINK"), (17, "AF_PACKET"), (40, "AF_VSOCK"), (38, "AF_ALG"), (31, "AF_BLUETOOTH")])
def test_sockets_of_other_families_are_denied_and_named(hood, family, name):
    run = hood.python("""
import socket, sys
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
    try: socket.socket(int(sys.argv[1]), kind); print('made', kind)
    except OSError: pass
try: socket.socketpair(int(sys.argv[1])); print('made a pair')
except OSError: pass
""", str(family))
    assert run.out == b"" and run.status == 0, run
    rows = [row for row in run.receipt["denials"] if row["class"] == "network"]
    assert any(row["what"] == "socket(%s)" % name or (row["what"].startswith("socket(") and str(family) in row["what"]) for row in rows), run.receipt["denials"]
    assert sum(row["count"] for row in rows) >= 4


def test_sockets_inside_the_cage_work(hood):
    run = hood.python("import socket\na, b = socket.socketpair()\na.send(b'hi')\nprint(b.recv(9))\nimport subprocess\nprint(subprocess.run(['echo','x'],capture_output=True).stdout)")
    assert run.text == "b'hi'\nb'x\\n'\n", run
    assert run.receipt["denials"] == [], run.receipt["denials"]


def test_loopback_policy_stays_inside(hood):
    policy = hood.policy("loopback.yaml", "network: loopback\n")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(5)
        run = hood.python("""
import socket, sys
server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen(1)
client = socket.create_connection(server.getsockname(), 2); print('own', server.accept()[0] is not None)
for peer in (('127.0.0.1', int(sys.argv[1])), ('192.0.2.1', 80), ('1.1.1.1', 53)):
    try: socket.create_connection(peer, 2); print('connected', peer)
    except OSError: pass
""", str(listener.getsockname()[1]), options=["--policy", policy])
        assert run.text == "own True\n", run
        assert select.select([listener], [], [], 0)[0] == []


# ---------------------------------------------------------------- system calls

PROBE = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        long nr, a[6] = {0}; char name[64];
        sscanf(argv[i], "%63[^:]:%li,%li,%li,%li,%li,%li,%li", name, &nr, a, a+1, a+2, a+3, a+4, a+5);
        errno = 0;
        long r = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (nr == 56 && r == 0) _exit(0);
        printf("%s %ld %d\n", name, r < 0 ? -1L : r, r < 0 ? errno : 0);
        fflush(stdout);
    }
    return 0;
}
"""
NEWUSER, NEWNS, NEWNET, NEWPID, NEWCGROUP, NEWTIME, NEWIPC, NEWUTS = 0x10000000, 0x20000, 0x40000000, 0x20000000, 0x2000000, 0x80, 0x8000000, 0x4000000
DENIED = {
    "unshare": (272, NEWUSER), "mount": (165,), "umount2": (166,), "pivot_root": (155,), "chroot": (161,),
    "ptrace": (101, 16, 1), "keyctl": (250, 0, -4), "add_key": (248,), "request_key": (249,), "bpf": (321,),
    "perf_event_open": (298,), "io_uring_setup": (425, 8), "userfaultfd": (323,), "init_module": (175,), "finit_module": (313, -1),
    "delete_module": (176,), "kexec_load": (246,), "clock_settime": (227,), "settimeofday": (164,), "setns": (308, -1),
    "reboot": (169,), "swapon": (167,), "sethostname": (170,), "acct": (163,), "syslog": (103, 10),
    "open_by_handle_at": (304,), "process_vm_readv": (310, 1), "process_vm_writev": (311, 1), "move_mount": (429, -1, 0, -1),
    "open_tree": (428, -100), "fsopen": (430,), "fsmount": (432, -1), "mount_setattr": (442, -1), "pidfd_getfd": (438, -1), "iopl": (172, 3),
    "ioperm": (173, 0, 1, 1), "quotactl": (179,), "kexec_file_load": (320, -1), "fanotify_init": (300,), "lookup_dcookie": (212,),
}


def words_for(table):
    return ["%s:%s" % (name, ",".join(str(n) for n in numbers)) for name, numbers in table.items()]


def outcome(run):
    return {line.split()[0]: (int(line.split()[1]), int(line.split()[2])) for line in run.text.splitlines()}


def test_dangerous_calls_are_denied_and_named(hood):
    run = hood.run(hood.compile(PROBE), words_for(DENIED))
    expect_status(run, 0)
    found = outcome(run)
    assert set(found) == set(DENIED)
    allowed = {name: got for name, got in found.items() if got[0] != -1 or got[1] not in (1, 13, 38)}
    assert not allowed, "not denied: %s" % allowed
    silent = [name for name, got in found.items() if got[1] != 38 and not run.denied(name)]
    assert not silent, "denied but not in the receipt: %s\n%s" % (silent, run.receipt["denials"])
    for name in ("unshare", "mount", "ptrace", "keyctl", "bpf", "perf_event_open", "io_uring_setup", "userfaultfd", "init_module",
                 "kexec_load", "clock_settime", "setns"):
        assert run.denied(name), "%s is not named: %s" % (name, run.receipt["denials"])


def test_namespaces_cannot_be_made(hood):
    flags = {"user": NEWUSER, "mnt": NEWNS, "net": NEWNET, "pid": NEWPID, "cgroup": NEWCGROUP, "ipc": NEWIPC, "uts": NEWUTS}
    table = {"u_" + name: (272, bit) for name, bit in flags.items()}
    table.update({"c_" + name: (56, bit | 17) for name, bit in flags.items()})
    table["u_time"] = (272, NEWTIME)
    run = hood.run(hood.compile(PROBE), words_for(table))
    found = outcome(run)
    assert set(found) == set(table) and all(got == (-1, 1) for got in found.values()), found
    assert run.denied("clone") and run.denied("unshare"), run.receipt["denials"]


def test_clone3_and_unknown_numbers_do_not_exist(hood):
    run = hood.run(hood.compile(PROBE), ["clone3:435,0,0", "unknown:9999", "far:100000", "negative:-5"])
    assert all(got == (-1, 38) for got in outcome(run).values()), run.text


def test_threads_and_processes_work_without_clone3(hood):
    run = hood.python("import threading,subprocess\nt=threading.Thread(target=print,args=('t',));t.start();t.join()\nprint(subprocess.check_output(['echo','s']))")
    assert run.text == "t\nb's\\n'\n", run


def test_the_other_two_doors_to_the_kernel_are_shut(hood):
    x32 = hood.run(hood.compile(PROBE), ["getpid:%d" % (0x40000000 | 39)])
    assert x32.text == "getpid -1 38\n" or x32.text == "getpid -1 1\n" or x32.status >= 128, x32
    old = hood.run(hood.compile(r'''
#include <stdio.h>
int main(void) { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
  printf("%ld\n", r); return r > 0 ? 99 : 0; }'''))
    assert old.status != 99, old


def test_the_filter_cannot_be_loosened(hood):
    """A guest may add filters; it cannot take one away, nor listen to its own."""
    run = hood.run(hood.compile(r'''
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/seccomp.h>
#include <linux/filter.h>
int main(void) {
  struct sock_filter all[] = {{0x06, 0, 0, SECCOMP_RET_ALLOW}};
  struct sock_fprog prog = {1, all};
  long r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
  long n = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
  printf("%d %d\n", n < 0, syscall(SYS_unshare, 0x10000000) < 0); return 0; }'''))
    assert run.text == "1 1\n", run


def test_denials_cannot_flood(hood):
    run = hood.python("import ctypes\nc = ctypes.CDLL(None)\nfor n in range(20000): c.unshare(0x10000000)\nprint('done')", options=["--limit", "wall_ms=30s"])
    assert run.out == b"done\n", run
    assert [row["count"] for row in run.denied("unshare")] == [20000]
    assert run.receipt_path.stat().st_size < 100_000


def test_many_kinds_of_denials_stay_bounded(hood):
    run = hood.run(hood.compile(PROBE), ["s%d:41,%d,1,0" % (n, n) for n in range(2, 200)])
    expect_status(run, 0)
    assert len(run.receipt["denials"]) <= 100 and run.receipt_path.stat().st_size < 100_000
    expect_whole_receipt(run.receipt)


def test_policy_denials_end_stops_the_run(hood):
    policy = hood.policy("end.yaml", "denials: end\n")
    run = hood.python("import socket,time\nprint('before', flush=True)\ntry: socket.socket(socket.AF_INET)\nexcept OSError: pass\ntime.sleep(5)\nprint('after')", options=["--policy", policy])
    assert run.out == b"before\n", run
    expect_ending(run, "denied")
    assert run.denied("socket")


@pytest.mark.parametrize("policy", ["denials: end\n", "denied_calls: 1\n"])
def test_nothing_comes_after_the_denied_call_that_ends_it(hood, policy):
    """Not in the moment either that the kernel needs to end it all."""
    program = hood.compile(r'''
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { syscall(SYS_unshare, 0x10000000); write(1, "after\n", 6); return 0; }''', "-static")
    for _ in range(20):
        run = hood.run(program, options=["--policy", hood.policy("end.yaml", policy)])
        expect_ending(run, "denied")
        assert run.out == b"" and run.said.startswith("fumehood: ended at its first denied call, as the policy says"), run


DENIED_CALLS = r'''
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static long count;
static void *call(void *unused) {
  for (long i = 0; i < count; i++) {
    syscall(SYS_unshare, 0x10000000);
    if (++i < count) syscall(SYS_ptrace, 0, 0, 0, 0);
#ifdef __x86_64__
    if (++i < count) syscall(0x40000000 | SYS_getpid);
#else
    if (++i < count) syscall(SYS_setns, 0, 0);
#endif
  }
  return unused;
}
int main(int argc, char **argv) {
  pthread_t threads[3];
  count = atol(argv[1]);
  if (argc > 2)
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, call, NULL);
  call(NULL);
  printf("%ld\n", count);
  return 0; }'''


@pytest.mark.parametrize("more", ["", "denials: fail\n", "syscalls: strict\n", "syscalls: native\n", "observe: [files, exec]\n"])
def test_so_many_denied_calls_end_the_run(hood, more):
    """Whatever they are and whichever filter answers them: one less is borne."""
    policy = hood.policy("bound.yaml", "denied_calls: 100\n" + more)
    program = hood.compile(DENIED_CALLS, "-static", "-pthread")
    for count, kind in ((99, "exited"), (100, "denied"), (5000, "denied")):
        run = hood.run(program, [str(count)], options=["--policy", policy])
        expect_ending(run, kind)
        assert sum(run.denials.values()) == min(count, 100) and len(run.denials) == 3, run.denials
        if kind == "exited":
            assert run.status == 0 and run.text == "99\n", run
            continue
        assert run.status == 126 and run.out == b"" and run.receipt["ending"]["detail"] == "after 100 denied calls", run
        assert run.said.startswith("fumehood: ended after 100 denied calls, as the policy says"), run


def test_a_flood_from_many_threads_ends_at_its_bound(hood):
    policy = hood.policy("bound.yaml", "denied_calls: 3000\n")
    run = hood.run(hood.compile(DENIED_CALLS, "-pthread"), ["1000000", "many"], options=["--policy", policy])
    expect_ending(run, "denied")
    assert sum(run.denials.values()) == 3000, run.denials


def test_a_denial_is_said_at_the_end(hood):
    run = hood.python("import socket\ntry: socket.socket(socket.AF_INET)\nexcept OSError: pass")
    assert run.status == 0 and re.fullmatch(r"fumehood: .*socket\(AF_INET\).*\n", run.said), run


def test_the_parent_cannot_be_touched(hood):
    run = hood.python("""
import os, signal
for pid in (1, os.getppid(), -1):
    if pid in (os.getpid(), 0): continue
    for number in (signal.SIGSTOP, signal.SIGKILL):
        if pid == -1: continue
        try: os.kill(pid, number)
        except OSError: pass
for name in ('mem', 'environ', 'maps', 'root', 'cwd', 'fd'):
    for pid in {1, os.getppid()} - {os.getpid(), 0}:
        try:
            open('/proc/%d/%s' % (pid, name), 'rb+').read(1); print('open', name)
        except OSError: pass
print('done')
""", options=["--limit", "wall_ms=5s"])
    assert run.ending["kind"] in ("exited", "signaled") and b"open" not in run.out, run


def test_time_and_priorities_cannot_be_raised(hood):
    run = hood.python("""
import os, time, resource
for call in (lambda: os.nice(-5), lambda: time.clock_settime(time.CLOCK_REALTIME, 1), lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10)),
             lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100000, 100000)), lambda: os.write(os.open('/proc/self/oom_score_adj', os.O_WRONLY), b'-1000')):
    try: call(); print('allowed')
    except (OSError, ValueError): pass
print(resource.getrlimit(resource.RLIMIT_CORE))
""")
    assert run.text == "(%d, %d)\n" % (CORE, CORE), run


def test_the_core_limit_cannot_be_changed(hood):
    """Where there is a handler of the host's for crashes, it would run at 0, as root, outside."""
    run = hood.python("""
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.prlimit(0, resource.RLIMIT_CORE, (0, 1))
print(resource.getrlimit(resource.RLIMIT_CORE), open('/proc/self/limits').read().split('Max core file size')[1].split()[:2])
""")
    assert run.text == "(%d, %d) ['%d', '%d']\n" % (CORE, CORE, CORE, CORE), run


def test_a_host_look_up_is_a_network_attempt(hood):
    run = hood.python("""
import socket
try: print(socket.getaddrinfo('evil.example', 80))
except OSError: print('no')
""")
    assert run.text == "no\n"
    assert run.denied("socket(AF_INET)"), run.denials


def test_sync_does_not_reach_the_machine(hood):
    run = hood.python("import os; os.sync(); fd = os.open('/work/x', os.O_CREAT | os.O_RDWR); os.fsync(fd); print('done')")
    assert run.text == "done\n" and not run.denials, run


def test_no_watching_of_shared_files(hood):
    run = hood.python("""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
print(libc.inotify_init(), errno.errorcode[ctypes.get_errno()])
""")
    assert run.text == "-1 ENOSYS\n", run


def test_later_mounts_of_the_host_stay_outside(hood, tmp_path):
    """Where the host's mounts are shared, as systemd makes them, what is mounted during a run does not show up inside."""
    need(is_root(), "only root may mount")
    up, script = tmp_path / "up", tmp_path / "host.sh"
    place = "/usr/local/games" if os.path.isdir("/usr/local/games") else "/usr/share"
    program = hood.program(f"""
import os, time
os.write(1, b'up\\n')
time.sleep(1.5)
print(os.path.exists({place!r} + '/hostsecret'), 'hood-late' in open('/proc/self/mountinfo').read())
""", "py")
    script.write_text(f"""set -e
mount --make-rshared /
"{hood.binary}" run "{program}" > "{up}" &
i=0; while [ ! -s "{up}" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
mount -t tmpfs hood-late {place}
touch {place}/hostsecret
wait
""")
    subprocess.run(["unshare", "-m", "--propagation", "private", "sh", str(script)], check=True, timeout=60)
    assert up.read_text() == "up\nFalse False\n"


# ---------------------------------------------------------------- terminal

def test_the_terminal_is_out_of_reach(hood):
    """fumehood on a terminal: the guest has none, and cannot type into ours."""
    words, receipt = hood.words(hood.program(r"""
import fcntl, os, sys, termios
print([os.isatty(fd) for fd in (0, 1, 2)])
for place in ('/dev/tty', '/dev/console', '/dev/pts/0', '/proc/self/fd/0', 0, 1, 2):
    fd = None
    try:
        fd = place if isinstance(place, int) else os.open(place, os.O_RDWR)
        for letter in b'echo typed-by-the-guest\n': fcntl.ioctl(fd, termios.TIOCSTI, bytes([letter]))
        print('typed', place)
    except OSError: pass
    finally:
        if fd is not None and fd > 2: os.close(fd)
try: print(os.tcgetpgrp(0))
except OSError: print('no terminal')
print(repr(sys.stdin.read()))
""", "py"))
    child, master = pty.fork()
    if child == 0:
        os.execv(hood.command()[0], [str(word) for word in hood.command(*words)])
    seen = b""
    try:
        while True:
            if not select.select([master], [], [], 30)[0]:
                break
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
    finally:
        os.close(master)
        os.waitpid(child, 0)
    assert b"[False, False, False]" in seen and b"no terminal" in seen and b"''" in seen, seen
    assert b"typed" not in seen, seen


# ---------------------------------------------------------------- ordinary users

def test_default_policy_is_refused_without_a_control_group(user_hood):
    run = user_hood.python("print('ran')")
    if run.status == 0:
        need(False, "this user can make control groups: the refusal without them is not tested")
    assert run.out == b""
    expect_refusal(run, 126, "--if-available")


def test_an_evaluation_is_refused_before_it_begins(user_hood):
    """Neither results nor a table of a judgement that never was."""
    need(user_hood.call("run", user_hood.program("", "sh")).status == 126, "this user can make control groups")
    out = user_hood.folder / "out"
    tasks = user_hood.file("tasks.json", '[{"id": "a", "prompt": "p", "stdin": "", "expect": "x"}]')
    user_hood.file("candidates/a.py", "print('x')")
    run = user_hood.call("eval", tasks, "--candidates", user_hood.folder / "candidates", "--out", out)
    assert run.status in (2, 3, 126), run
    expect_one_line(run, "--if-available")
    assert not (out / "results.jsonl").exists() or (out / "results.jsonl").read_bytes() == b""


def test_an_ordinary_user_with_if_available(user_hood):
    run = user_hood.python("import os\nprint(os.getuid(), os.listdir('/work') != [])", options=["--policy", "if-available"])
    assert (run.status, run.text) == (0, "1000 True\n"), run
    receipt = run.receipt
    expect_ending(run, "exited", exit_code=0)
    if is_root():
        assert receipt["limits"]["memory_bytes"]["enforced_by"] != "cgroup-v1", receipt["limits"]
        assert "cgroup" in receipt["protections"]["missing"], receipt["protections"]


def test_the_ordinary_users_cage_is_as_tight(user_hood, canary):
    secret = canary("/tmp/fumehood-story-" + user_hood.nonce)
    run = user_hood.python("""
import os, re
status = open('/proc/self/status').read()
print(re.findall(r'^(?:Cap\\w+|NoNewPrivs|Seccomp):\\s+(\\w+)', status, re.M))
for place in ('/home', '/root', '/var/log', '/var/lib/dpkg', '/var/tmp', '/sys', '/run', '/tmp/fumehood-story-%s' % os.environ['STORY_NONCE']):
    if os.path.exists(place): print('sees', place)
import socket
try: socket.socket(); print('made')
except OSError: pass
""", options=["--policy", "if-available"])
    assert run.text == "['%s']\n" % "', '".join(["0" * 16] * 5 + ["1", "2"]), run
    assert run.denied("socket") and secret not in run.text


def test_the_ordinary_users_limits(user_hood):
    spin = user_hood.python("while True: pass", options=["--policy", "if-available", "--limit", "wall_ms=1s"])
    expect_ending(expect_status(spin, 124), "limit", limit="wall")
    flood = user_hood.python("while True: print('x' * 999)", options=["--policy", "if-available", "--limit", "stdout_bytes=10000"])
    expect_ending(expect_status(flood, 122), "limit", limit="output")
    daemon = user_hood.python("import os,time\nif os.fork() == 0:\n  os.setsid(); time.sleep(600)\nprint('x')", options=["--policy", "if-available"])
    expect_status(daemon, 0)


PRECEDENCE = """
import os
print(os.sched_getscheduler(0), os.getpriority(0, 0) >= 0, open('/proc/self/oom_score_adj').read()[0] != '-')
"""


@pytest.mark.parametrize("set_it, wanted", [
    (lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)), os.SCHED_OTHER),
    (lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)), os.SCHED_OTHER),
    (lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)), os.SCHED_BATCH),
    (lambda: os.setpriority(os.PRIO_PROCESS, 0, -10), os.SCHED_OTHER),
    (lambda: pathlib.Path("/proc/self/oom_score_adj").write_text("-500"), os.SCHED_OTHER),
], ids=["fifo", "round-robin", "batch", "nice", "oom-score"])
def test_a_launchers_precedence_is_not_the_guests(hood, set_it, wanted):
    need(is_root(), "only root may have precedence")

    def allowed():
        pid = os.fork()
        if pid == 0:
            try:
                set_it()
                os._exit(0)
            except OSError:
                os._exit(1)
        return os.waitpid(pid, 0)[1] == 0
    if not allowed():
        pytest.skip("this machine does not let root take it")
    run = hood.python(PRECEDENCE, preexec_fn=set_it)
    assert (run.status, run.text) == (0, "%d True True\n" % wanted), run
