# Has a loopback, and makes sockets of other protocols on it: ping, raw IP, multipath TCP, SCTP, UDP-Lite. They are
# large parts of the kernel that a program under judgement has no use for, and no check of TCP and UDP sees them.
import errno
import os
import socket
import sys

port = int(sys.argv[1])
MPTCP = 262
control = os.environ.get("DRILL_CONTROL")
FAMILIES = (socket.AF_INET, socket.AF_INET6)
KINDS = ((socket.SOCK_STREAM, (MPTCP, 132, 41, 6 + 256, 255)), (socket.SOCK_DGRAM, (1, 58, 136, 132)),
         (socket.SOCK_RAW, (1, 6, 17, 58, 255)), (socket.SOCK_SEQPACKET, (0, 132)), (socket.SOCK_RDM, (0,)),
         (socket.SOCK_DCCP if hasattr(socket, "SOCK_DCCP") else 6, (0, 33)), (10, (0, 768)))
reached = 0


def attempt(family, kind, protocol):
    global reached
    try:
        with socket.socket(family, kind, protocol) as s:
            print("family", int(family), "kind", int(kind), "protocol", protocol, "reached")
            reached += 1
            if protocol == MPTCP and family == socket.AF_INET:
                s.settimeout(1)
                s.connect(("127.0.0.1", port))
    except OSError as why:
        print("family", int(family), "kind", int(kind), "protocol", protocol, errno.errorcode.get(why.errno))


if control:
    # bare: only what needs no rights and loads nothing
    attempt(socket.AF_INET, socket.SOCK_STREAM, MPTCP)
    attempt(socket.AF_INET, socket.SOCK_DGRAM, 136)
    sys.exit(10 if reached else 0)
# the permitted siblings, also with flags in the kind
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK):
    socket.socket(socket.AF_INET, kind).close()
for family in FAMILIES:
    for kind, protocols in KINDS:
        for protocol in protocols:
            attempt(family, kind, protocol)
            attempt(family, kind | socket.SOCK_CLOEXEC, protocol)
sys.exit(10 if reached else 0)
