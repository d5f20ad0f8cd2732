# Reads the packets of all programs and sends ones with a false sender, by packet sockets, raw sockets and tunnels.
# If it worked, a program could take passwords from the wire and speak for others.
import errno
import fcntl
import os
import socket
import struct
import sys
import threading
import time

port, word = int(sys.argv[1]), sys.argv[2].encode()
control = os.environ.get("DRILL_CONTROL")
reached = 0


def attempt(what, action):
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why))


def speak():
    time.sleep(0.1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(word, ("127.0.0.1", port))


def sniff(kind):
    with socket.socket(socket.AF_PACKET, kind, socket.htons(3)) as s:
        s.bind(("lo", 0))
        s.settimeout(1)
        if control:
            threading.Thread(target=speak).start()
        for _ in range(100):
            if word in s.recv(65536):
                return
        raise OSError(errno.ENODATA, "")


def forge():
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 33, 1, 0, 64, 17, 0, bytes([192, 0, 2, 9]), bytes([127, 0, 0, 1]))
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as s:
        s.sendto(head + struct.pack(">HHHH", 9, port, 13, 0) + b"drill", ("127.0.0.1", 0))


def tunnel():
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, 0x400454ca, struct.pack("16sH22x", b"drill%d", 0x1001))


attempt("sniff", lambda: sniff(socket.SOCK_RAW))
if control:
    sys.exit(10 if reached else 0)
attempt("sniff cooked", lambda: sniff(socket.SOCK_DGRAM))
attempt("forge", forge)
attempt("tunnel", tunnel)
for protocol in (socket.IPPROTO_ICMP, socket.IPPROTO_TCP, socket.IPPROTO_UDP, socket.IPPROTO_ICMPV6):
    attempt(f"raw {protocol}", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol).close())
    attempt(f"raw {protocol} v6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, protocol).close())
attempt("xdp", lambda: socket.socket(44, socket.SOCK_RAW).close())
sys.exit(10 if reached else 0)
