# Asks the calls that have no namespace: kernel version, processor, memory and number of processes of the whole
# machine, time since it started, free space of the disk below /usr. They tell a program something of the machine,
# and nothing of what runs on it by name.
import ctypes
import os
import sys
import time


class SysInfo(ctypes.Structure):
    _fields_ = [("uptime", ctypes.c_long), ("loads", ctypes.c_ulong * 3), ("total", ctypes.c_ulong), ("free", ctypes.c_ulong),
                ("more", ctypes.c_ulong * 4), ("processes", ctypes.c_ushort), ("rest", ctypes.c_char * 64)]


info = SysInfo()
facts = []
if ctypes.CDLL(None).sysinfo(ctypes.byref(info)) == 0:
    facts.append(f"memory {info.total}, processes {info.processes}, load {info.loads[0]}, up {info.uptime}")
facts.append("kernel " + os.uname().release)
facts.append(f"processors {os.cpu_count()}, allowed {len(os.sched_getaffinity(0))}")
facts.append(f"running since {time.clock_gettime(time.CLOCK_BOOTTIME):.0f}")
disk = os.statvfs("/usr")
facts.append(f"disk {disk.f_blocks * disk.f_frsize}, free {disk.f_bavail * disk.f_frsize}")
try:  # in each process's own folder, and yet of all processors of the machine
    facts.append("packets " + " ".join(line.split()[0] for line in open("/proc/" + "self/net/softnet_stat")))
except OSError:
    pass
print("\n".join(facts))
sys.exit(10 if info.total and info.processes else 0)
