# machine.py - what this machine is, what it is doing, and what a tree of processes holds of it
import contextlib
import os
import subprocess

CPU_FILES = (("/sys/fs/cgroup/cpuacct/cpuacct.usage", 1000), ("/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", 1000))
ROLES = ("parent", "warden", "keeper", "cage")  # by their depth below fumehood eval; all below a keeper is its cage
MEMORY_KEYS = {"Pss:": "pss_kib", "Private_Clean:": "private_kib", "Private_Dirty:": "private_kib"}


def cgroup_version():
    if os.path.isfile("/sys/fs/cgroup/cgroup.controllers"):
        return 2
    return 1 if os.path.isdir("/sys/fs/cgroup/memory") else 0


def first_value(path, word):
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith(word):
                return line.split(":", 1)[-1].strip().strip('"').removeprefix(word + "=").strip('"')
    return ""


def describe():
    compiler = subprocess.run([os.environ.get("CC", "cc"), "--version"], capture_output=True, text=True, check=False)
    return {
        "kernel": os.uname().release,
        "system": first_value("/etc/os-release", "PRETTY_NAME"),
        "cpu": first_value("/proc/cpuinfo", "vendor_id") + " model " + first_value("/proc/cpuinfo", "model"),
        "cpu_name": first_value("/proc/cpuinfo", "model name"),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_mib": int(first_value("/proc/meminfo", "MemTotal").split()[0]) // 1024,
        "virtual": "hypervisor" in first_value("/proc/cpuinfo", "flags"),
        "compiler": compiler.stdout.splitlines()[0] if compiler.stdout else "",
        "python": subprocess.run(["/usr/bin/python3", "--version"], capture_output=True, text=True).stdout.strip(),
        "cgroup": cgroup_version(),
        "root": os.geteuid() == 0,
        "load_before": os.getloadavg()[0],
    }


def cpu_us():
    """Processor time that everything on the machine has used, the kernel's own threads too."""
    for path, unit in CPU_FILES:
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as f:
            return int(f.read()) / unit
    with contextlib.suppress(OSError), open("/sys/fs/cgroup/cpu.stat", encoding="ascii") as f:
        return float(f.readline().split()[1])
    with open("/proc/stat", encoding="ascii") as f:
        ticks = f.readline().split()[1:]
    return sum(int(ticks[i]) for i in (0, 1, 2, 5, 6)) * 1e6 / os.sysconf("SC_CLK_TCK")


def parents():
    """{pid: (its parent's, its name)}"""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError), open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                head, tail = f.read().rsplit(")", 1)
                found[int(entry)] = (int(tail.split()[1]), head.split("(", 1)[1])
    return found


def tree(top):
    """[(pid, depth, name)] of a process and all below it."""
    children, names = {}, {}
    for pid, (parent, name) in parents().items():
        children.setdefault(parent, []).append(pid)
        names[pid] = name
    found, todo = [], [(top, 0)]
    while todo:
        pid, depth = todo.pop()
        found.append((pid, depth, names.get(pid, "")))
        todo += [(child, depth + 1) for child in children.get(pid, [])]
    return found


def memory(pid):
    """{pss_kib, private_kib} of one process; zeros when it is gone."""
    result = {"pss_kib": 0, "private_kib": 0}
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii", errors="replace") as f:
        for line in f:
            words = line.split()
            if words[0] in MEMORY_KEYS:
                result[MEMORY_KEYS[words[0]]] += int(words[1])
    return result


def descriptors(pid):
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


def by_role(top, with_cages=True):
    """{role: {count, pss_kib, private_kib, fds: [of each], pids}} of fumehood eval and all below it."""
    result = {role: {"count": 0, "pss_kib": 0, "private_kib": 0, "fds": [], "pids": []} for role in ROLES}
    for pid, depth, _ in tree(top):
        role = ROLES[min(depth, len(ROLES) - 1)]
        if role == "cage" and not with_cages:
            continue
        row, held = result[role], memory(pid)
        if held["pss_kib"] == 0:
            continue  # it has just ended
        row["count"] += 1
        row["pids"].append(pid)
        row["fds"].append(descriptors(pid))
        for key, value in held.items():
            row[key] += value
    return result
