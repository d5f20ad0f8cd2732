# Connects to whatever keeps keys unlocked for its user: the variables say where, and the paths are known. If it
# worked, a program could sign and log in as its starter without ever seeing a key.
import errno
import glob
import os
import socket
import sys

control = os.environ.get("DRILL_CONTROL")
VARIABLES = ("SSH_AUTH_SOCK GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS XDG_RUNTIME_DIR DOCKER_HOST WAYLAND_DISPLAY "
             "DISPLAY XAUTHORITY KRB5CCNAME TMUX STY NOTIFY_SOCKET LISTEN_FDS LISTEN_PID INVOCATION_ID JOURNAL_STREAM "
             "PULSE_SERVER KUBECONFIG AWS_CONTAINER_CREDENTIALS_FULL_URI GITHUB_TOKEN CI_JOB_TOKEN SUDO_USER MAIL").split()
reached = 0


def attempt(path):
    global reached
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(1)
            s.connect(path)
            s.send(b"\0\0\0\1\x0b")  # list the keys
        print(path, "reached")
        reached += 1
    except OSError as why:
        print(path, errno.errorcode.get(why.errno, why))


attempt(sys.argv[1])
if control:
    sys.exit(10 if reached else 0)
for name in VARIABLES:
    value = os.environ.get(name)
    if value is not None:
        print(name, "is set: reached")
        reached += 1
        if value.startswith("/"):
            attempt(value)
paths = ["/run/user/%d/%s" % (uid, leaf) for uid in (0, 1000, os.getuid(), 65534)
         for leaf in ("bus", "keyring/ssh", "keyring/control", "gnupg/S.gpg-agent", "gnupg/S.gpg-agent.ssh", "wayland-0", "pipewire-0")]
paths += glob.glob("/tmp/ssh-*/agent.*") + glob.glob("/tmp/*/agent*") + glob.glob("/var/run/*") + glob.glob("/run/*")
paths += [os.path.expanduser("~/.gnupg/S.gpg-agent"), "/root/.gnupg/S.gpg-agent", "/tmp/krb5cc_0", "/tmp/.ICE-unix/1"]
for path in paths:
    attempt(path)
for top in ("/run", "/var/run", "/var/spool", "/var/lib/dbus", "/run/user", "/tmp/.X11-unix"):
    if os.path.exists(top):
        print(top, "is there: reached")
        reached += 1
sys.exit(10 if reached else 0)
