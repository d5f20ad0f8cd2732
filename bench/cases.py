# cases.py - what takes part, and how the timing core is told of it
import fnmatch
import os
import subprocess

import machine
import peers
import program

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
NO_PEER = "none"  # as a word of --only
WARM_UP_RUNS = 5  # of a rate, untimed: as in warm.c and library.c
PAYLOADS = {"true": ["/usr/bin/true"], "python": ["/usr/bin/python3", "-c", "pass"]}
KEPT_ENV = ("HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
LOOK = "; ".join(  # one line, as the plan wants it
    [
        "for n in user pid mnt net ipc uts cgroup; do echo ns $n $(readlink /proc/self/ns/$n); done",
        "while read -r key value; do echo status $key $value; done </proc/self/status",
        "[ ! -w /usr ] || echo usr is writable",
        ":",
    ]
)


class Candidate:
    """One way to run a program: make(payload) gives commands for the core, rate(payload, ms, jobs) an own program."""

    payloads = tuple(PAYLOADS)
    limits = ""
    rate = None
    served = False

    def __init__(self, name, make, **more):
        self.name, self.make = name, make
        self.__dict__.update(more)


class Case:
    def __init__(self, payload, candidate, commands):
        self.payload, self.candidate, self.commands = payload, candidate, commands
        self.name, self.limits = candidate.name, candidate.limits
        self.samples, self.failed, self.gives = [], 0, ""


def environment():
    env = {name: os.environ[name] for name in KEPT_ENV if name in os.environ}
    env["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return env


def compile_c(folder, name, options):
    out = os.path.join(folder, name)
    cc = os.environ.get("CC", "cc")
    argv = [cc, "-O2", "-std=gnu17", "-o", out, os.path.join(HERE, name + ".c"), *options]
    made = subprocess.run(argv, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise peers.Unavailable(f"bench/{name}.c does not compile: {(made.stderr.strip().splitlines() or [''])[0]}")
    return out


def compile_library(folder, fumehood):
    archive = os.path.join(os.path.dirname(fumehood), "libfumehood.a")
    if not os.path.exists(archive):
        raise peers.Unavailable("no libfumehood.a beside fumehood: `make bench-build` builds both in build/release")
    return compile_c(folder, "library", ["-I" + os.path.join(TOP, "include"), archive, "-lpthread"])


def write_plan(path, cases):
    with open(path, "w", encoding="utf-8") as f:
        for case in cases:
            f.write(f"case {case.payload}/{case.name}\n")
            for command in case.commands:
                f.write("cmd\n")
                for arg in command.args:
                    f.write(f"arg {arg}\n")
                if command.fd:
                    f.write(f"fd {command.fd} {command.fd_path}\n")
                if command.remove:
                    f.write(f"remove {command.remove}\n")
                if command.mount_ns:
                    f.write(f"mountns {command.mount_ns}\n")
                if case.candidate.served:
                    f.write("serve\n")


def file_of(ctx, payload):
    """fumehood takes a program's file; a script stands for the arguments that the peers get."""
    if payload == PAYLOADS["python"]:
        return ctx.file("pass.py", "pass\n")
    return ctx.file("look.sh", payload[2]) if len(payload) > 1 else payload[0]


def cold(arguments, ctx):
    def make(payload):
        receipt = ctx.path(f"receipt-{ctx.worker}.json")
        return [peers.Command([arguments.fumehood, "run", "--receipt", receipt, file_of(ctx, payload)], remove=receipt)]

    return Candidate("fumehood", make, limits="cgroup")


def warm(arguments, ctx, cage, payloads):
    """In one process, run after run, as a warden does it."""
    bench_warm = os.path.join(os.path.dirname(arguments.fumehood), "bench_warm")

    def make(payload):
        if not os.access(bench_warm, os.X_OK):
            raise peers.Unavailable("no bench_warm beside fumehood: `make bench-build` builds both in build/release")
        return [peers.Command([bench_warm, "serve", cage, file_of(ctx, payload)])]

    def rate(payload, ms, jobs):
        return [bench_warm, "rate", str(ms), str(jobs), cage, file_of(ctx, payload)]

    name = f"fumehood warm, {cage}"
    return Candidate(name, make, rate=rate, served=True, payloads=payloads, limits="cgroup")


def library(arguments, ctx, cage, payloads):
    def built():
        if "library" not in ctx.built:
            ctx.built["library"] = compile_library(ctx.folder, arguments.fumehood)
        return ctx.built["library"]

    def make(payload):
        return [peers.Command([built(), "serve", cage, file_of(ctx, payload), arguments.fumehood])]

    def rate(payload, ms, jobs):
        return [built(), "rate", str(ms), str(jobs), cage, file_of(ctx, payload), arguments.fumehood]

    name = f"libfumehood, {cage}"
    return Candidate(name, make, rate=rate, served=True, payloads=payloads, limits="cgroup")


def chosen_peers(only):
    """Names of the peers that --only lets take part."""
    return [name for name, _, _ in peers.PEERS if only is None or fnmatch.fnmatch(name, only)]


def candidates(arguments, ctx):
    """Everything that should take part."""
    rows = [Candidate("bare", lambda payload: [peers.Command(payload)]), cold(arguments, ctx)]
    for maker in (warm, library):
        rows += [maker(arguments, ctx, cage, payloads) for cage, payloads in
                 (("fresh", ("true", "python")), ("slot", ("true", "python")), ("zygote", ("python",)))]
    chosen = chosen_peers(arguments.only)
    for name, how, limits in peers.PEERS:
        if name in chosen:
            rows.append(Candidate(name, lambda payload, how=how: how(ctx, payload), limits=limits))
    return rows


def describe_look(look):
    """What the program inside could see of its cage, beside what is true outside."""
    own = {}
    for line in look.splitlines():
        words = line.split()
        if len(words) == 3:
            own[words[0], words[1].rstrip(":")] = words[2]
    words = []
    for n in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup"):
        if own.get(("ns", n), "") not in ("", os.readlink(f"/proc/self/ns/{n}")):
            words.append(n)
    extras = [
        (own.get(("status", "Seccomp")) == "2", "+filter"),
        (own.get(("status", "NoNewPrivs")) == "1", "+nnp"),
        (set(own.get(("status", "CapBnd"), "f")) == {"0"}, "+nocaps"),
        (("usr", "is") in own, "/usr IS WRITABLE"),
    ]
    return " ".join(words + [word for true, word in extras if true])


def once(core, case, ctx, env):
    """One run with its output: (status, stdout, last line of stderr)."""
    plan = ctx.path("probe.plan")
    write_plan(plan, [case])
    how = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace", "env": env}
    r = subprocess.run([core, plan, "once", "0"], check=False, cwd=ctx.folder, **how, **program.OWN_GROUP)
    lines = (r.stderr.strip() or r.stdout.strip()).splitlines()
    return r.returncode, r.stdout, lines[-1] if lines else ""


def probe(core, case, ctx, env):
    status, _, said = once(core, case, ctx, env)
    if status != 0:
        raise peers.Unavailable(f"its first run ended with status {status}: {said or 'it said nothing'}")
    if case.candidate.served:
        case.gives = "as the row fumehood"
        return
    look = Case("look", case.candidate, case.candidate.make(["/usr/bin/sh", "-c", LOOK]))
    status, seen, _ = once(core, look, ctx, env)
    case.gives = describe_look(seen) if status == 0 else "?"


def gather(arguments, core, ctx, env):
    """Every candidate that passes its probe, and the reason for every one that does not."""
    chosen, cases = chosen_peers(arguments.only), []
    missing = {name: f"left out by --only {arguments.only}" for name, _, _ in peers.PEERS if name not in chosen}
    for candidate in candidates(arguments, ctx):
        try:
            own = []
            for payload in candidate.payloads:
                case = Case(payload, candidate, candidate.make(PAYLOADS[payload]))
                probe(core, case, ctx, env)
                own.append(case)
            cases += own
        except peers.Unavailable as e:
            missing[candidate.name] = str(e)
    return cases, missing


class Rate:
    """Runs a second of one candidate at so many jobs, one measurement at a time."""

    def __init__(self, case, jobs, ctx):
        self.case, self.jobs, self.ctx = case, jobs, ctx
        self.per_s, self.cpu_us, self.own_cpu_us, self.failed = [], [], [], 0
        self.workers = [] if case.candidate.rate else [self.worker(i) for i in range(jobs)]

    def worker(self, number):
        """Some peers need a box or a container of its own for each."""
        self.ctx.worker = number
        case = Case(self.case.payload, self.case.candidate, self.case.candidate.make(PAYLOADS[self.case.payload]))
        self.ctx.worker = 0
        return case

    def command(self, core, ms):
        if self.case.candidate.rate:
            return self.case.candidate.rate(PAYLOADS[self.case.payload], ms, self.jobs)
        plan = self.ctx.path("rate.plan")
        write_plan(plan, self.workers)
        return [core, plan, "rate", str(ms)]

    def measure(self, core, ms, env):
        used_us = machine.cpu_us()
        r = subprocess.run(self.command(core, ms), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                           env=env, cwd=self.ctx.folder, check=False, **program.OWN_GROUP)
        used_us = machine.cpu_us() - used_us
        words = r.stdout.split()
        if r.returncode != 0 or len(words) < 2 or float(words[0]) == 0:
            self.failed += 1
            return
        self.per_s.append(float(words[0]))
        self.own_cpu_us.append(float(words[1]))
        warm_up = WARM_UP_RUNS * self.jobs if self.case.candidate.rate else 0
        self.cpu_us.append(used_us / (float(words[0]) * ms / 1000 + warm_up))
        self.failed += int(words[2]) if len(words) > 2 else 0
