# Connects to a UNIX socket on the machine by its path, in all kinds and by links and magic links, and to the usual
# services. If it worked, a program could ask a container engine, a bus or a log to act for it outside.
import errno
import os
import socket
import sys

path, place = sys.argv[1], sys.argv[2]
control = os.environ.get("DRILL_CONTROL")
own = place if control else "/work"
reached = 0


def attempt(where):
    global reached
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            with socket.socket(socket.AF_UNIX, kind) as s:
                s.settimeout(1)
                s.connect(where)
                s.send(b"GET /containers/json HTTP/1.0\r\n\r\n")
            print(where, "reached")
            reached += 1
        except OSError as why:
            print(where[-60:], errno.errorcode.get(why.errno, why))


os.chdir(own)
os.symlink(path, "line")
attempt(path)
attempt("line")
os.unlink("line")
if control:
    sys.exit(10 if reached else 0)
attempt("/proc/self/root" + path)
attempt("../" * 8 + path.lstrip("/"))
USUAL = """/run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock /run/dbus/system_bus_socket
    /run/systemd/private /run/systemd/notify /run/systemd/journal/socket /run/systemd/journal/stdout /dev/log /run/udev/control
    /run/nscd/socket /tmp/.X11-unix/X0 /run/user/0/bus /run/user/1000/bus /run/fumehood/line /run/user/0/gnupg/S.gpg-agent
    /run/snapd.socket /run/libvirt/libvirt-sock /run/mysqld/mysqld.sock /var/run/postgresql/.s.PGSQL.5432 /run/acpid.socket"""
for where in USUAL.split():
    attempt(where)
# any socket at all that it did not make
for top, folders, files in os.walk("/"):
    if top in ("/proc", "/usr/share", "/usr/lib"):
        folders[:] = []
        continue
    for name in files:
        where = os.path.join(top, name)
        try:
            if os.lstat(where).st_mode & 0o170000 == 0o140000:
                print(where, "is a socket")
                attempt(where)
        except OSError:
            pass
sys.exit(10 if reached else 0)
