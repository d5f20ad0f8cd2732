# Opens terminals, disks, memory, tunnels and virtual machines below /dev, and sends requests to the random device. If
# it worked, a program would talk to drivers, which are a large and old part of the kernel.
import errno
import fcntl
import os
import stat
import sys

RNDGETENTCNT = 0x80045200
NAMES = ("tty tty0 tty1 ttyS0 console pts/0 pts/1 pts/15 mem kmem port kmsg fuse kvm net/tun vhost-net vsock loop0 loop-control "
         "vda sda nvme0n1 dm-0 mapper/control hpet rtc0 snapshot autofs userfaultfd uinput input/event0 snd/seq dri/card0 "
         "fb0 btrfs-control cpu_dma_latency cuse ppp rfkill watchdog udmabuf dma_heap/system mqueue hugepages log initctl")
GIVEN = {"null", "zero", "full", "random", "urandom"}
control = os.environ.get("DRILL_CONTROL")
reached = 0


def attempt(what, action):
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why.errno))


def ask(path, request):
    fd = os.open(path, os.O_RDONLY)
    try:
        return fcntl.ioctl(fd, request, b"\0" * 64)
    finally:
        os.close(fd)


attempt("ask random", lambda: ask("/dev/random", RNDGETENTCNT))
attempt("ask urandom", lambda: ask("/dev/urandom", RNDGETENTCNT))
if control:
    sys.exit(10 if reached else 0)
for name in NAMES.split():
    attempt(name, lambda: os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)))
for request in (0x5413, 0x5401, 0x1268, 0x80081272, 0x40045201, 0x5207, 0x1263):
    attempt(f"ask null {request:#x}", lambda: ask("/dev/null", request))
for name in os.listdir("/dev"):
    mode = os.lstat("/dev/" + name).st_mode
    if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and name not in GIVEN:
        print(name, "reached: it is there")
        reached += 1
for name in sorted(GIVEN):  # what is promised must be what it is called
    if not stat.S_ISCHR(os.stat("/dev/" + name).st_mode):
        sys.exit(f"{name} is no device")
sys.exit(10 if reached else 0)
