# Has a loopback of its own, listens on it, and goes for the machine's services by every name that leads to "here".
# If it worked, the permission to talk to itself would be one to talk to the machine.
import errno
import os
import socket
import sys

tcp4, tcp6, udp4 = (int(port) for port in sys.argv[1:4])
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


def stream(family, address, source=None):
    with socket.socket(family) as s:
        s.settimeout(1)
        if source:
            s.bind(source)
        s.connect(address)


def fast_open(address):
    with socket.socket() as s:
        s.settimeout(1)
        s.sendto(b"drill", socket.MSG_FASTOPEN, address)
        s.getpeername()


if not control:
    # the permitted sibling: its own listener, on the very ports of the machine's services, is reached by itself
    for family, host, port in ((socket.AF_INET, "127.0.0.1", tcp4 + 1), (socket.AF_INET6, "::1", tcp6 + 1)):
        with socket.create_server((host, port), family=family) as server:
            socket.create_connection((host, port), 2).close()
            server.accept()[0].close()
for host in ("127.0.0.1", "127.0.0.2", "0.0.0.0", "127.255.0.1"):
    attempt(f"tcp {host}", lambda: stream(socket.AF_INET, (host, tcp4)))
attempt("tcp ::1", lambda: stream(socket.AF_INET6, ("::1", tcp6)))
attempt("tcp ::", lambda: stream(socket.AF_INET6, ("::", tcp6)))
attempt("tcp mapped", lambda: stream(socket.AF_INET6, ("::ffff:127.0.0.1", tcp4)))
attempt("from a source", lambda: stream(socket.AF_INET, ("127.0.0.1", tcp4), ("127.0.0.9", 0)))
attempt("fast open", lambda: fast_open(("127.0.0.1", tcp4)))
# by name too, but bare: there a machine may wait for its name server
for name in () if control else ("localhost", "localhost."):
    attempt(f"by name {name}", lambda: socket.create_connection((name, tcp4), 1).close())
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    for host in ("127.0.0.1", "127.255.255.255", "255.255.255.255", "224.0.0.1"):
        if control and host[0] != "1":
            continue
        try:  # whether it arrives is seen outside only
            print("udp", host, s.sendto(b"drill", (host, udp4)))
        except OSError as why:
            print("udp", host, errno.errorcode.get(why.errno))
sys.exit(10 if reached else 0)
