"""test_containers.py - docs/containers.md: what of it holds in a container as an engine makes it

runc starts the container: the engines' default capabilities, covered paths, read-only /sys and a filter of the shape of
theirs, with /usr of this machine as its root.
"""
import json
import os
import shutil
import subprocess
import sys

import pytest

import hood as story

SCRIPT = story.REPO / "scripts/container-seccomp.py"
CAPABILITIES = ["CAP_" + name for name in (
    "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL "
    "AUDIT_WRITE").split()]
COVERED = ["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/scsi", "/sys/firmware"]
READ_ONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]
ALL_NAMESPACES = 0x7E020000
# Of what an engine's filter refuses, that which counts here; theirs lists what is allowed instead.
ENGINE = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
    {"names": "fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree pidfd_getfd pivot_root sethostname "
              "setns umount2 unshare bpf perf_event_open keyctl".split(), "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
    {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}] + [
    {"names": ["clone"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1,
     "args": [{"index": 0, "value": bit, "valueTwo": bit, "op": "SCMP_CMP_MASKED_EQ"}]}
    for bit in (1 << shift for shift in range(32)) if bit & ALL_NAMESPACES]}


def opened(profile, folder):
    """The profile as scripts/container-seccomp.py changes it."""
    path = folder / "engine.json"
    path.write_text(json.dumps(profile))
    done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, check=True)
    return json.loads(done.stdout)


class Container:
    def __init__(self, folder, nonce):
        self.folder, self.name = folder, "fumehood-story-" + nonce
        self.root = folder / "root"
        for name in ("usr", "proc", "sys", "dev", "tmp", "run", "work", "etc"):
            (self.root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.root / name).symlink_to("usr/" + name)
        (self.root / "tmp").chmod(0o1777)
        shutil.copy(story.BINARY, self.root / "work/fumehood")
        (self.root / "work/a.py").write_text("print('in a cage')\n")
        for path in (self.root, self.root / "work"):
            path.chmod(0o755)
        folder.chmod(0o755)

    def config(self, words, filter, covered, uid, namespaces=()):
        mounts = [("/proc", "proc", "proc", "nosuid noexec nodev"), ("/sys", "sysfs", "sysfs", "nosuid noexec nodev ro"),
                  ("/dev", "tmpfs", "tmpfs", "nosuid strictatime mode=755 size=65536k"),
                  ("/dev/shm", "tmpfs", "shm", "nosuid noexec nodev mode=1777 size=65536k"),
                  ("/run", "tmpfs", "tmpfs", "mode=755"),
                  ("/sys/fs/cgroup", "cgroup", "cgroup", "nosuid noexec nodev ro"),
                  ("/usr", "bind", "/usr", "rbind ro")]
        linux = {"namespaces": [{"type": kind} for kind in ("mount", "network", "uts", "pid", "ipc", *namespaces)],
                 "cgroupsPath": "/" + self.name, "seccomp": filter}
        if covered:
            linux.update(maskedPaths=COVERED, readonlyPaths=READ_ONLY)
        if "user" in namespaces:
            linux["uidMappings"] = linux["gidMappings"] = [{"containerID": 0, "hostID": 300000, "size": 65536}]
        capabilities = [] if uid else CAPABILITIES
        return {"ociVersion": "1.0.2", "root": {"path": str(self.root), "readonly": False}, "linux": linux,
                "mounts": [{"destination": at, "type": kind, "source": source, "options": options.split()}
                           for at, kind, source, options in mounts],
                "process": {"terminal": False, "user": {"uid": uid, "gid": uid}, "cwd": "/work", "args": words,
                            "noNewPrivileges": bool(uid), "env": ["PATH=/work:/usr/bin:/bin"],
                            "capabilities": {kind: capabilities for kind in ("bounding", "effective", "permitted")}}}

    def run(self, *words, filter, covered=False, uid=1000, namespaces=()):
        (self.folder / "config.json").write_text(json.dumps(self.config(list(words), filter, covered, uid, namespaces)))
        done = subprocess.run(["runc", "--root", self.folder / "state", "run", "--bundle", self.folder, self.name],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        return story.Run(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def container(open_folder, nonce):
    story.need(story.is_root(), "not root: no container is made")
    story.need(shutil.which("runc"), "runc is not installed: docs/containers.md is not tried")
    story.need(b"__asan_init" not in story.BINARY.read_bytes(), "the container's root has not the libraries of sanitizers")
    made = Container(open_folder / "container", nonce)
    tried = made.run("/usr/bin/true", filter=ENGINE)
    story.need(tried.status == 0, "runc starts no container here: %r" % tried)
    yield made
    subprocess.run(["runc", "--root", made.folder / "state", "delete", "--force", made.name], capture_output=True)


RUN = ("fumehood", "run", "--policy", "if-available", "a.py")


@pytest.mark.parametrize("uid", [0, 1000])
@pytest.mark.parametrize("opens, covered", [(False, True), (False, False), (True, True)])
def test_a_container_that_is_not_opened_runs_nothing(container, open_folder, uid, opens, covered):
    filter = opened(ENGINE, open_folder) if opens else ENGINE
    run = container.run(*RUN, filter=filter, covered=covered, uid=uid)
    assert run.status in (125, 126) and run.out == b"", run
    assert run.said.startswith("fumehood: ") and run.said.count("\n") == 1, run


FLAGS = ("seccomp=fumehood-seccomp.json", "systempaths=unconfined", "--if-available", "docs/containers.md")


@pytest.mark.parametrize("uid", [0, 1000])
@pytest.mark.parametrize("opens, covered", [(False, True), (False, False), (True, True)])
def test_one_remedy_has_all_of_it(container, open_folder, uid, opens, covered):
    """Whatever is met first: nobody is sent twice, and root is not sent to root."""
    filter = opened(ENGINE, open_folder) if opens else ENGINE
    for options in [["--if-available"]] + ([] if opens else [[]]):
        run = container.run("fumehood", "run", *options, "a.py", filter=filter, covered=covered, uid=uid)
        assert run.status == 125 and all(flag in run.said for flag in FLAGS), run
    doctor = container.run("fumehood", "doctor", filter=filter, covered=covered, uid=uid)
    said = " ".join(doctor.text.split())
    assert doctor.status == 1 and said.startswith("can run no: ") and all(flag in said for flag in FLAGS), doctor
    assert len(doctor.text.splitlines()) < 25, doctor


def test_root_is_not_sent_to_root(container, open_folder):
    run = container.run("fumehood", "run", "a.py", filter=opened(ENGINE, open_folder), uid=0)
    assert run.status == 126 and "--if-available goes on without" in run.said and "as root" not in run.said, run
    doctor = container.run("fumehood", "doctor", filter=opened(ENGINE, open_folder), uid=0)
    assert doctor.status == 1 and doctor.text.startswith("can run     with --if-available"), doctor


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_an_evaluation_stops_at_the_first_fault_of_the_machine(container, jobs):
    (container.root / "work/t.json").write_text(json.dumps([{"id": "t%d" % i, "stdin": "", "expect": "x"} for i in range(20)]))
    (container.root / "work/c.jsonl").write_text("".join('{"task_id": "t%d", "solution": "print(1)"}\n' % i for i in range(20)))
    run = container.run("fumehood", "eval", "t.json", "--candidates", "c.jsonl", "--out", "o", "--if-available", "--jobs", jobs,
                        filter=ENGINE, covered=True, uid=0)
    assert run.status == 3 and run.out == b"" and run.said.count("\n") == 1 and FLAGS[0] in run.said, run
    assert (container.root / "work/o/results.jsonl").read_text() == ""


@pytest.mark.parametrize("uid, namespaces", [(1000, ()), (0, ()), (0, ("user",))], ids=["user", "root", "user-namespace"])
def test_two_flags_are_enough(container, open_folder, uid, namespaces):
    run = container.run(*RUN, filter=opened(ENGINE, open_folder), uid=uid, namespaces=namespaces)
    assert run.status == 0 and run.out == b"in a cage\n", run


@pytest.mark.parametrize("uid, namespaces, seen", [(0, (), b"writable\n"), (1000, (), b""), (0, ("user",), b"")],
                         ids=["root", "user", "user-namespace"])
def test_an_uncovered_proc_is_the_host_for_roots_root_alone(container, open_folder, uid, namespaces, seen):
    run = container.run("/bin/sh", "-c", "test -w /proc/sys/kernel/core_pattern && echo writable", filter=opened(ENGINE, open_folder),
                        uid=uid, namespaces=namespaces)
    assert run.out == seen, run


def test_what_needs_no_cage_works_in_any_container(container):
    for words in (("version",), ("policy", "show"), ("policy", "hash"), ("run", "--help")):
        run = container.run("fumehood", *words, filter=ENGINE, covered=True)
        assert run.status == 0 and run.out, run


def test_the_opened_filter_leaves_the_rest_closed(container, open_folder):
    source = "import ctypes, os; print(ctypes.CDLL(None, use_errno=True).syscall(321, 0, 0, 0), ctypes.get_errno())"
    run = container.run("/usr/bin/python3", "-c", source, filter=opened(ENGINE, open_folder))
    assert run.out == b"-1 1\n", run


@pytest.mark.parametrize("path", ["/usr/share/containers/seccomp.json"])
def test_a_published_profile_is_opened(path, tmp_path):
    story.need(os.path.exists(path), "%s is not installed: it is not tried" % path)
    with open(path, encoding="utf-8") as file:
        before = json.load(file)
    after = opened(before, tmp_path)
    wanted = set(after["syscalls"][-1]["names"])
    assert "pivot_root" in wanted and after["syscalls"][-1]["action"] == "SCMP_ACT_ALLOW"
    assert after["defaultAction"] == before["defaultAction"]
    for rule in after["syscalls"][:-1]:
        assert not wanted & set(rule["names"]) and rule["names"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"syscalls": 1}', '{"syscalls": [{}]}'])
def test_what_is_no_profile_is_refused(text, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(text)
    done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "" and "Traceback" not in done.stderr, done
