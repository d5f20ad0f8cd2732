# Asks by way of a socket that it may have (a UNIX one) and of /proc what the network looks like, and turns its
# interface off and on. If it worked, a program would see who talks to whom on the machine, or change the machine's
# network.
import array
import errno
import fcntl
import os
import socket
import struct
import sys

port, name, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
control = os.environ.get("DRILL_CONTROL")
SIOCGIFCONF, SIOCGIFNAME, SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCGIFHWADDR, SIOCSIFADDR = 0x8912, 0x8910, 0x8913, 0x8914, 0x8927, 0x8916
SIOCADDRT, SIOCBRADDBR, SIOCETHTOOL, SIOCSIFNAME, SIOCGSTAMP = 0x890B, 0x89A0, 0x8946, 0x8923, 0x8906
reached = 0


def found(what):
    global reached
    print(what, "reached")
    reached += 1


asked = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
for index in range(1, 64):
    try:
        reply = fcntl.ioctl(asked, SIOCGIFNAME, struct.pack("16si20x", b"", index))
        interface = reply[:16].split(b"\0")[0]
        print("interface", interface)
        if interface != b"lo":
            found("another interface")
    except OSError as why:
        last = errno.errorcode.get(why.errno)
print("interfaces by number:", last)
for request, what in ((SIOCSIFFLAGS, "turn off"), (SIOCSIFADDR, "address"), (SIOCADDRT, "route"), (SIOCBRADDBR, "bridge"),
                      (SIOCSIFNAME, "rename"), (SIOCETHTOOL, "ask the driver")):
    if control:
        break
    try:
        fcntl.ioctl(asked, request, struct.pack("16sh110x", b"lo", 0))
        found(what)
    except OSError as why:
        print(what, errno.errorcode.get(why.errno))
words = [f"{port:04X}".encode(), name.encode(), path.encode(), b"eth0", b"ens", b"00000000\t"]
for top in ("/proc/net/", "/proc/self/net/", "/proc/thread-self/net/", "/proc/1/net/"):
    for leaf in ("tcp", "tcp6", "udp", "udp6", "unix", "route", "arp", "dev", "if_inet6", "ipv6_route", "fib_trie", "packet",
                 "netlink", "sockstat", "raw", "igmp", "protocols", "ptype", "psched"):
        try:
            text = open(top + leaf, "rb").read()
        except OSError:
            continue
        for word in words[:3] + (words[3:] if leaf in ("dev", "route") else []):
            at = [line for line in text.split(b"\n") if word in line]
            if at:
                found(f"{top}{leaf} names something of the machine")
try:
    if [entry for entry in os.listdir("/sys/class/net") if entry != "lo"] or os.listdir("/sys/class/net"):
        found("/sys/class/net")
except OSError as why:
    print("/sys/class/net", errno.errorcode.get(why.errno))
try:
    others = [entry for entry in socket.if_nameindex() if entry[1] != "lo"]
    if others:
        found("interfaces by netlink")
except OSError as why:
    print("interfaces by netlink", errno.errorcode.get(why.errno))
sys.exit(10 if reached else 0)
