# Talks to the kernel over netlink: lists interfaces, adds one, adds a firewall rule, listens for device events,
# lists all sockets. If it worked, a program could learn and change the machine's network; this part of the kernel
# has had many faults.
import errno
import os
import socket
import struct
import sys

KINDS = {"route": 0, "diag": 4, "nflog": 5, "xfrm": 6, "audit": 9, "connector": 11, "netfilter": 12, "uevent": 15, "generic": 16,
         "crypto": 21}
RTM_NEWLINK, RTM_GETLINK, RTM_GETADDR = 16, 18, 22
REQUEST, ACK, DUMP, CREATE = 1, 4, 0x300, 0x400
control = os.environ.get("DRILL_CONTROL")
reached = 0


def message(kind, flags, body):
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body


def attempt(what, protocol, action):
    global reached
    for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM):
        try:
            with socket.socket(socket.AF_NETLINK, kind, protocol) as s:
                s.settimeout(1)
                action(s)
            print(what, "reached")
            reached += 1
        except OSError as why:
            print(what, errno.errorcode.get(why.errno, why))


def listing(request):
    def ask(s):
        s.bind((0, 0))
        s.send(message(request, REQUEST | DUMP, struct.pack("=BxHiII", 0, 0, 0, 0, 0)))
        print(len(s.recv(65536)), "bytes of answer")
    return ask


def add_dummy(s):
    name = struct.pack("=HH", 10, 3) + b"drill\0\0\0"
    kind = struct.pack("=HH", 16, 18) + struct.pack("=HH", 9, 1) + b"dummy\0\0\0"
    s.send(message(RTM_NEWLINK, REQUEST | ACK | CREATE, struct.pack("=BxHiII", 0, 0, 0, 0, 0) + name + kind))
    why = -struct.unpack_from("=i", s.recv(4096), 16)[0]
    if why:
        raise OSError(why, os.strerror(why))


attempt("interfaces", 0, listing(RTM_GETLINK))
attempt("addresses", 0, listing(RTM_GETADDR))
if control:
    sys.exit(10 if reached else 0)
attempt("new interface", 0, add_dummy)
attempt("events of devices", 15, lambda s: s.bind((0, 1)))
for what, protocol in KINDS.items():
    attempt(what, protocol, lambda s: s.bind((0, 0)))
try:
    socket.socketpair(socket.AF_NETLINK, socket.SOCK_RAW)
    reached += 1
except OSError as why:
    print("pair", errno.errorcode.get(why.errno))
sys.exit(10 if reached else 0)
