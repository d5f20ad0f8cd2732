# Drops what the environment says of proxies and connects to services that listen on the machine, over both versions
# of IP. If it worked, a program could use whatever listens for the machine's own use only, and send away what it
# found.
import errno
import os
import socket
import sys

for name in list(os.environ):
    if name.lower().endswith("_proxy"):
        del os.environ[name]
tcp4, tcp6, udp4 = (int(port) for port in sys.argv[1:4])
reached = 0


def attempt(what, action):
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why))


def stream(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(2)
        s.connect(address)
        s.sendall(b"GET http://internal.test/ HTTP/1.1\r\nHost: internal.test\r\n\r\n")


def datagram(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.sendto(b"drill", address)


for host in ("127.0.0.1", "0.0.0.0", "127.1", "127.255.255.254"):
    attempt(f"tcp {host}", lambda: stream(socket.AF_INET, (host, tcp4)))
attempt("tcp ::1", lambda: stream(socket.AF_INET6, ("::1", tcp6)))
attempt("tcp ::", lambda: stream(socket.AF_INET6, ("::", tcp6)))
attempt("tcp mapped", lambda: stream(socket.AF_INET6, ("::ffff:127.0.0.1", tcp4)))
attempt("udp", lambda: datagram(socket.AF_INET, ("127.0.0.1", udp4)))
attempt("udp mapped", lambda: datagram(socket.AF_INET6, ("::ffff:127.0.0.1", udp4)))
attempt("by name", lambda: socket.create_connection(("localhost", tcp4), 2).close())
attempt("non-blocking", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK).connect(("127.0.0.1", tcp4)))
attempt("pair", lambda: socket.socketpair(socket.AF_INET))
sys.exit(10 if reached else 0)
