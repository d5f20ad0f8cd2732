# Opens what /proc knows of the machine, by name and by ways around a mask, and its switches for writing (it writes
# nothing). If it worked, a program would learn of other processes and keys, or could turn the kernel's screws.
import errno
import os
import sys

FACTS = ("version cpuinfo meminfo loadavg uptime stat cmdline config.gz kallsyms kcore kmsg keys key-users timer_list "
         "sched_debug schedstat interrupts iomem ioports modules mtrr partitions diskstats swaps slabinfo vmallocinfo "
         "vmstat zoneinfo pagetypeinfo buddyinfo locks latency_stats cgroups crypto devices filesystems fb misc dma "
         "kpagecount kpageflags kpagecgroup bootconfig softirqs acpi/wakeup scsi/scsi fs/ext4 driver/rtc bus/pci/devices "
         "sysvipc/shm sysvipc/msg sysvipc/sem pressure/cpu pressure/memory sys/kernel/hostname sys/kernel/random/boot_id "
         "sys/kernel/core_pattern sys/kernel/version sys/fs/file-nr sys/vm/swappiness dynamic_debug/control tty/drivers")
SWITCHES = ("sysrq-trigger sys/kernel/core_pattern sys/kernel/hostname sys/kernel/modprobe sys/vm/drop_caches "
            "sys/kernel/ns_last_pid sys/net/ipv4/ip_forward sys/user/max_user_namespaces irq/default_smp_affinity "
            "sys/fs/binfmt_misc/register mtrr timer_list scsi/scsi")
WAYS = ["/proc/", "/proc/self/../", "/proc/self/root/proc/", "/proc/thread-self/../../../", "//proc/./", "/dev/fd/../../../proc/"]
reached = 0


def attempt(path, flags):
    global reached
    try:
        os.close(os.open(path, flags))
        print(path, "reached")
        reached += 1
        return True
    except OSError as why:
        return why.errno


control = os.environ.get("DRILL_CONTROL")
if control:
    attempt("/proc/version", os.O_RDONLY)
    attempt("/proc/sys/kernel/hostname", os.O_RDONLY)
    sys.exit(10 if reached else 0)
answers = {}
for way in WAYS:
    for names, flags in ((FACTS, os.O_RDONLY), (FACTS, os.O_PATH), (SWITCHES, os.O_WRONLY)):
        for name in names.split():
            why = attempt(way + name, flags)
            answers[why] = answers.get(why, 0) + 1
for top in ("/sys", "/sys/kernel/security", "/sys/fs/cgroup", "/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq"):
    attempt(top, os.O_PATH)
for pid in {"1", str(os.getppid() or 1)}:
    for name in ("environ", "maps", "mem", "stack", "syscall", "auxv", "cmdline", "status", "root", "cwd", "fd", "ns/mnt"):
        attempt(f"/proc/{pid}/{name}", os.O_RDONLY)
print({errno.errorcode.get(key, key): count for key, count in answers.items()})
sys.exit(10 if reached else 0)
