# Asks who the machine is: name, domain, machine number, boot number, the path of its control group. If it worked, a
# program could tell machines and customers apart, and behave on one of them only.
import ctypes
import errno
import os
import sys

control = os.environ.get("DRILL_CONTROL")
libc = ctypes.CDLL(None, use_errno=True)
reached = 0


def found(what, value):
    global reached
    print(what, "reached", value)
    reached += 1


name = os.uname().nodename
if name != "cage":
    found("name", "")
if control:
    sys.exit(10 if reached else 0)
domain = ctypes.create_string_buffer(256)
libc.getdomainname(domain, 256)
if domain.value not in (b"", b"(none)"):
    found("domain", "")
for line in open("/proc/self/cgroup") if os.path.exists("/proc/self/cgroup") else []:
    path = line.rstrip("\n").split(":", 2)[2]
    if path != "/":
        found("control group", path)
for path in ("/etc/hostname", "/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/hostname", "/proc/sys/kernel/random/boot_id",
             "/sys/class/dmi/id/product_uuid", "/sys/class/dmi/id/sys_vendor", "/sys/fs/cgroup/cgroup.controllers", "/etc/resolv.conf",
             "/proc/device-tree/model", "/sys/hypervisor/uuid", "/etc/fstab", "/proc/cmdline", "/etc/timezone", "/etc/localtime"):
    try:
        found(path, len(open(path, "rb").read()))
    except OSError as why:
        print(path, errno.errorcode.get(why.errno))
for line in open("/etc/hosts"):
    if line.split() and not line.startswith(("127.", "::1")):
        found("/etc/hosts", line)
for call, argument in ((libc.sethostname, b"drill"), (libc.setdomainname, b"drill")):
    if call(argument, 5) == 0:
        found("a new name", "")
    else:
        print("new name", errno.errorcode.get(ctypes.get_errno()))
sys.exit(10 if reached else 0)
