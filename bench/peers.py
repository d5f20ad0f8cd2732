# peers.py - how every peer is asked for a cage as near to fumehood's default one as it can make.
#
# The aim for each: own user, pid, mount, network, ipc, uts and cgroup namespaces; /usr read-only; tmpfs at /tmp and
# /work; no network; no capability; no new privileges; a syscall allow-list; 512 MiB, 64 processes and 1 CPU by cgroup
# where the tool can set them. Ready-made filters and folders are made beforehand and not timed.
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

import seccomp
from machine import cgroup_version

MEMORY_BYTES = 512 << 20
SCRATCH_BYTES = 64 << 20
PROCESSES = 64
OPEN_FILES = 256
UID = 1000
HOST_UID = 200000
ISOLATE_BOX = 97
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
DEVICES = ("null", "zero", "full", "random", "urandom")
GUEST_ENV = {"PATH": "/usr/bin:/bin", "HOME": "/work", "LANG": "C.UTF-8"}


class Unavailable(Exception):
    """Why a peer cannot take part."""


@dataclass
class Command:
    args: list
    fd: int = 0
    fd_path: str = ""
    mount_ns: str = ""
    remove: str = ""


@dataclass
class Context:
    """What the peers share: a work folder, filters, and the cleaning up."""

    folder: str
    stack: contextlib.ExitStack
    docker_image: str = ""
    mount_ns: str = ""
    worker: int = 0  # of those that run the same at the same time
    built: dict = field(default_factory=dict)
    root: bool = field(default_factory=lambda: os.geteuid() == 0)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        path = self.path(name)
        if not os.path.exists(path):
            with open(path, "wb") as f:
                f.write(content if isinstance(content, bytes) else content.encode())
            os.chmod(path, 0o644)
        return path

    def skeleton(self):
        """An empty root with the mount points that a cage needs."""
        root = self.path("root")
        if not os.path.isdir(root):
            for name in ("usr", "proc", "tmp", "dev", "work", "etc"):
                os.makedirs(os.path.join(root, name))
            for name, target in LINKS.items():
                os.symlink(target, os.path.join(root, name))
            for name in DEVICES:
                with open(os.path.join(root, "dev", name), "wb"):
                    pass
        return root


def find(name):
    path = shutil.which(name)
    if path is None:
        raise Unavailable("not on PATH")
    return path


def bwrap(ctx, payload):
    args = [find("bwrap"), "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv"]
    for name, value in GUEST_ENV.items():
        args += ["--setenv", name, value]
    args += ["--uid", str(UID), "--gid", str(UID), "--hostname", "cage", "--cap-drop", "ALL"]
    args += ["--ro-bind", "/usr", "/usr"]
    for name, target in LINKS.items():
        args += ["--symlink", target, "/" + name]
    args += ["--proc", "/proc", "--dev", "/dev"]
    for at in ("/tmp", "/work"):
        args += ["--size", str(SCRATCH_BYTES), "--tmpfs", at]
    args += ["--chdir", "/work"]
    if not seccomp.supported():
        return [Command(args + payload)]
    return [Command(args + ["--seccomp", "9"] + payload, 9, ctx.file("filter.bpf", seccomp.bpf()))]


def firejail(ctx, payload):
    args = [find("firejail"), "--quiet", "--noprofile", "--net=none", "--private", "--private-dev", "--private-tmp"]
    args += ["--caps.drop=all", "--nonewprivs", "--seccomp", "--noroot", "--ipc-namespace", "--hostname=cage"]
    args += ["--read-only=/usr", f"--rlimit-nofile={OPEN_FILES}", f"--rlimit-nproc={PROCESSES}"]
    return [Command(args + payload)]


def _nsjail_cgroup_v1(ctx):
    args = []
    for key, controller in (("mem", "memory"), ("pids", "pids"), ("cpu", "cpu")):
        _own_cgroup(ctx, f"/sys/fs/cgroup/{controller}")
        args += [f"--cgroup_{key}_parent", _CGROUP]
    return args


def _nsjail_cgroup_v2(ctx):
    path = _own_cgroup(ctx, "/sys/fs/cgroup")
    with open(os.path.join(path, "cgroup.subtree_control"), "w", encoding="ascii") as f:
        f.write("+memory +pids +cpu")
    return ["--use_cgroupv2", "--cgroupv2_mount", path]


_CGROUP = f"fumehood-bench-{os.getpid()}"


def _own_cgroup(ctx, parent):
    path = os.path.join(parent, _CGROUP)
    try:
        os.mkdir(path)
        ctx.stack.callback(_remove_cgroup, path)
    except FileExistsError:
        pass
    except OSError as e:
        raise Unavailable(f"no cgroup can be made under {parent}: {e.strerror}") from e
    return path


def _remove_cgroup(path):
    with contextlib.suppress(OSError):
        for entry in os.scandir(path):
            if entry.is_dir():
                os.rmdir(entry.path)
        os.rmdir(path)


def _nsjail(ctx, payload, limits):
    args = [find("nsjail"), "-Mo", "-Q", "--nice_level", "0", "--hostname", "cage", "--cwd", "/work", "-t", "10"]
    host_uid = HOST_UID if ctx.root else os.getuid()
    host_gid = HOST_UID if ctx.root else os.getgid()
    args += ["--user", f"{UID}:{host_uid}:1", "--group", f"{UID}:{host_gid}:1", "-R", "/usr"]
    for name, target in LINKS.items():
        args += ["-s", f"{target}:/{name}"]
    for name in DEVICES:
        args += ["-R", f"/dev/{name}"]
    for at in ("/tmp", "/work"):
        args += ["-m", f"none:{at}:tmpfs:size={SCRATCH_BYTES}"]
    for name, value in GUEST_ENV.items():
        args += ["-E", f"{name}={value}"]
    args += ["--rlimit_nofile", str(OPEN_FILES), "--rlimit_nproc", str(PROCESSES), "--rlimit_fsize", "64"]
    if seccomp.supported():
        args += ["-P", ctx.file("filter.kafel", seccomp.kafel())]
    return [Command(args + limits + ["--"] + payload)]


def nsjail(ctx, payload):
    find("nsjail")
    version = cgroup_version()
    if version == 0:
        raise Unavailable("no cgroup hierarchy is mounted")
    limits = _nsjail_cgroup_v1(ctx) if version == 1 else _nsjail_cgroup_v2(ctx)
    limits += ["--cgroup_mem_max", str(MEMORY_BYTES), "--cgroup_pids_max", str(PROCESSES)]
    return _nsjail(ctx, payload, limits + ["--cgroup_cpu_ms_per_sec", "1000"])


def nsjail_no_cgroup(ctx, payload):
    return _nsjail(ctx, payload, [])


def _minijail0(ctx, payload, identity, mounts):
    args = [find("minijail0"), "--logging=stderr", "-v", "-p", "-r", "-l", "-e", "-N", "--uts=cage", "-n"]
    args += identity + ["-c", "0", "--ambient", "-P", ctx.skeleton()] + mounts
    args += ["-k", "/proc,/proc,none,MS_BIND|MS_REC"]
    args += ["-k", f"tmpfs,/work,tmpfs,MS_NOSUID|MS_NODEV,size={SCRATCH_BYTES}"]
    args += ["-t64M", "-T", "static", "-R", f"RLIMIT_NOFILE,{OPEN_FILES},{OPEN_FILES}", "--env-reset"]
    for name, value in GUEST_ENV.items():
        args += ["--env-add", f"{name}={value}"]
    if seccomp.supported():
        args += ["--seccomp-bpf-binary=" + ctx.file("filter.bpf", seccomp.bpf())]
    return [Command(args + ["--"] + payload)]


def minijail0(ctx, payload):
    """With a user namespace; it then refuses read-only binds, and file ownership guards /usr."""
    if ctx.root:
        identity = [f"-m0 {HOST_UID} 65536", f"-M0 {HOST_UID} 65536", "-u", str(UID), "-g", str(UID)]
    else:
        identity = ["-U", f"-m{UID} {os.getuid()} 1", f"-M{UID} {os.getgid()} 1"]
    mounts = ["-k", "/usr,/usr,none,MS_BIND|MS_REC"]
    for name in DEVICES:
        mounts += ["-k", f"/dev/{name},/dev/{name},none,MS_BIND"]
    return _minijail0(ctx, payload, identity, mounts)


def minijail0_no_userns(ctx, payload):
    find("minijail0")
    if not ctx.root:
        raise Unavailable("needs root")
    return _minijail0(ctx, payload, ["-u", str(UID), "-g", str(UID)], ["-b", "/usr,/usr", "-d"])


def _isolate_command(ctx, verb, extra):
    cgroup = ["--cg"] if cgroup_version() == 2 else []
    return [find("isolate"), f"--box-id={ISOLATE_BOX - ctx.worker}", "--silent"] + cgroup + extra + [verb]


def _isolate_run(ctx, payload):
    extra = [f"--processes={PROCESSES}", f"--open-files={OPEN_FILES}", "--wall-time=10"]
    if cgroup_version() == 2:
        extra += [f"--cg-mem={MEMORY_BYTES >> 10}"]
    return Command(_isolate_command(ctx, "--run", extra) + ["--"] + payload)


def isolate(ctx, payload):
    """In one box, made beforehand and used again: the way it is meant for many runs, but not a fresh cage."""
    init = subprocess.run(_isolate_command(ctx, "--init", []), capture_output=True, text=True, check=False)
    if init.returncode != 0:
        raise Unavailable("--init: " + init.stderr.strip())
    ctx.stack.callback(subprocess.run, _isolate_command(ctx, "--cleanup", []), check=False)
    return [_isolate_run(ctx, payload)]


def isolate_fresh(ctx, payload):
    """A new box each time, as fumehood does."""
    return [
        Command(_isolate_command(ctx, "--cleanup", [])),
        Command(_isolate_command(ctx, "--init", [])),
        _isolate_run(ctx, payload),
    ]


def _oci_config(ctx, payload, limits):
    mount = {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro", "nosuid", "nodev"]}
    scratch = ["nosuid", "nodev", "mode=1777", f"size={SCRATCH_BYTES}"]
    devices = ["nosuid", "mode=755", "size=65536k"]
    config = {
        "ociVersion": "1.0.2",
        "process": {
            "terminal": False,
            "user": {"uid": UID, "gid": UID},
            "args": payload,
            "env": [f"{name}={value}" for name, value in GUEST_ENV.items()],
            "cwd": "/work",
            "capabilities": {},
            "rlimits": [{"type": "RLIMIT_NOFILE", "hard": OPEN_FILES, "soft": OPEN_FILES}],
            "noNewPrivileges": True,
        },
        "root": {"path": ctx.skeleton(), "readonly": True},
        "hostname": "cage",
        "mounts": [
            mount,
            {"destination": "/proc", "type": "proc", "source": "proc", "options": ["nosuid", "nodev", "noexec"]},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": devices},
            {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": scratch},
            {"destination": "/work", "type": "tmpfs", "source": "tmpfs", "options": scratch},
        ],
        "linux": {
            "namespaces": [{"type": t} for t in ("user", "pid", "mount", "network", "ipc", "uts", "cgroup")],
            "uidMappings": [{"containerID": 0, "hostID": HOST_UID, "size": 65536}],
            "gidMappings": [{"containerID": 0, "hostID": HOST_UID, "size": 65536}],
        },
    }
    if limits:
        config["linux"]["resources"] = {
            "memory": {"limit": MEMORY_BYTES},
            "pids": {"limit": PROCESSES},
            "cpu": {"quota": 100000, "period": 100000},
        }
    if seccomp.supported():
        config["linux"]["seccomp"] = seccomp.oci()
    return config


def _oci(ctx, name, payload, program, limits, options):
    path = find(program)
    if not ctx.root:
        raise Unavailable("needs root here: the bundle maps a range of users")
    bundle = tempfile.mkdtemp(prefix=f"{name}-", dir=ctx.folder)
    os.chmod(bundle, 0o755)
    with open(os.path.join(bundle, "config.json"), "w", encoding="ascii") as f:
        json.dump(_oci_config(ctx, payload, limits), f)
    container = os.path.basename(bundle)
    state = ["--root", ctx.path(f"state-{program}")]
    ctx.stack.callback(
        subprocess.run, [path] + state + ["delete", "--force", container], stderr=subprocess.DEVNULL, check=False
    )
    return [Command([path] + state + options + ["run", "--bundle", bundle, container])]


def runc(ctx, payload):
    return _oci(ctx, "runc", payload, "runc", True, [])


def _without_unified(ctx):
    """crun refuses a machine with both cgroup versions: it starts where the second is not mounted."""
    unified = "/sys/fs/cgroup/unified"
    if not os.path.ismount(unified):
        return ""
    if not ctx.mount_ns:
        script = f"umount -l {unified} && echo ready && exec sleep infinity"
        holder = subprocess.Popen(["unshare", "--mount", "sh", "-c", script], stdout=subprocess.PIPE, text=True)
        ctx.stack.callback(holder.wait)
        ctx.stack.callback(holder.kill)
        if holder.stdout.readline() != "ready\n":
            raise Unavailable("needs a mount namespace without " + unified)
        ctx.mount_ns = f"/proc/{holder.pid}/ns/mnt"
    return ctx.mount_ns


def _crun(ctx, name, payload, limits, options):
    find("crun")
    commands = _oci(ctx, name, payload, "crun", limits, options)
    commands[0].mount_ns = _without_unified(ctx)
    return commands


def crun(ctx, payload):
    return _crun(ctx, "crun", payload, True, ["--cgroup-manager=cgroupfs"])


def crun_no_cgroup(ctx, payload):
    return _crun(ctx, "crun-no-cgroup", payload, False, ["--cgroup-manager=disabled"])


def _docker_image(ctx, path):
    """An image with nothing but mount points: the program comes from the host's /usr, as in the other cages."""
    if not ctx.docker_image:
        name = _CGROUP
        tar = subprocess.run(["tar", "-C", ctx.skeleton(), "-c", "."], capture_output=True, check=True).stdout
        made = subprocess.run([path, "import", "-", name], input=tar, capture_output=True, check=False)
        if made.returncode != 0:
            raise Unavailable("import: " + made.stderr.decode(errors="replace").strip())
        ctx.docker_image = name
        ctx.stack.callback(subprocess.run, [path, "rmi", "-f", name], stdout=subprocess.DEVNULL, check=False)
    return ctx.docker_image


def docker(ctx, payload):
    path = find("docker")
    try:
        asked = subprocess.run([path, "info"], capture_output=True, text=True, timeout=10, check=False)
    except subprocess.TimeoutExpired as e:
        raise Unavailable("its daemon does not answer within 10 s") from e
    if asked.returncode != 0:
        lines = (asked.stderr or asked.stdout).strip().splitlines()
        raise Unavailable(lines[-1] if lines else "its daemon does not answer")
    args = [path, "run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL"]
    args += ["--security-opt", "no-new-privileges", "--memory", str(MEMORY_BYTES), "--memory-swap", str(MEMORY_BYTES)]
    args += ["--pids-limit", str(PROCESSES), "--cpus", "1", "--user", f"{UID}:{UID}", "-v", "/usr:/usr:ro"]
    for at in ("/tmp", "/work"):
        args += ["--tmpfs", f"{at}:size={SCRATCH_BYTES},mode=1777"]
    return [Command(args + ["-w", "/work", _docker_image(ctx, path)] + payload)]


# name, how, and where its limits come from
PEERS = [
    ("bwrap", bwrap, ""),
    ("firejail", firejail, ""),
    ("minijail0", minijail0, ""),
    ("minijail0-no-userns", minijail0_no_userns, ""),
    ("isolate", isolate, "cgroup on v2 only"),
    ("isolate-fresh", isolate_fresh, "cgroup on v2 only"),
    ("nsjail", nsjail, "cgroup"),
    ("nsjail-no-cgroup", nsjail_no_cgroup, ""),
    ("crun", crun, "cgroup"),
    ("crun-no-cgroup", crun_no_cgroup, ""),
    ("runc", runc, "cgroup"),
    ("docker", docker, "cgroup"),
]
