# Opens the kernel's settings and orders for writing, by path and by walking, and asks for maps of ids and an untouchable
# place when memory is short. If one worked, the whole machine would follow. Bare, files are opened but never written.
import os
import sys

BARE = "DRILL_CONTROL" in os.environ
SETTINGS = """sys/kernel/core_pattern sys/kernel/modprobe sys/kernel/hotplug sys/kernel/randomize_va_space sys/kernel/sysrq
sys/kernel/hostname sys/kernel/ns_last_pid sys/kernel/pid_max sys/vm/panic_on_oom sys/vm/overcommit_memory sys/vm/drop_caches
sys/fs/binfmt_misc/register sys/fs/protected_symlinks sys/net/ipv4/ip_forward sysrq-trigger irq/default_smp_affinity
mtrr scsi/scsi acpi/wakeup timer_list sched_debug kcore kallsyms keys latency_stats""".split()
reached = 0


def attempt(path, text=None):
    global reached
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        if text is not None and not BARE:
            os.write(fd, text)
        os.close(fd)
    except OSError as error:
        print(f"{path}: {error.strerror}")
        return
    print(f"{path}: opened")
    reached += 1


for setting in SETTINGS[:4] if BARE else SETTINGS:
    attempt("/proc/" + setting)
if not BARE:
    for folder, _, names in os.walk("/proc/sys"):
        for name in names:
            attempt(os.path.join(folder, name))
    attempt("/proc/self/oom_score_adj", b"-1000")
    attempt("/proc/self/oom_adj", b"-17")
    attempt("/proc/self/uid_map", b"0 0 1")
    attempt("/proc/self/gid_map", b"0 0 1")
    attempt("/proc/self/make-it-fail", b"1")
sys.exit(10 if reached else 0)
