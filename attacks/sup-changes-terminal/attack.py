# Changes the terminal of its starter: settings, size, foreground, and reads what is typed there. If it worked, a
# program could hide what is typed, catch passwords, or stop its starter.
import errno
import fcntl
import os
import signal
import sys
import termios

control = os.environ.get("DRILL_CONTROL")
reached = 0
signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def attempt(what, action):
    global reached
    try:
        got = action()
        print(what, "reached", got)
        reached += 1
    except (OSError, termios.error) as why:
        number = why.args[0]
        print(what, errno.errorcode.get(number, number))


for fd in (0, 1, 2):
    if os.isatty(fd):
        print(fd, "is a terminal: reached")
        reached += 1
    attempt(f"size of {fd}", lambda: os.get_terminal_size(fd))
    attempt(f"name of {fd}", lambda: os.ttyname(fd))
    attempt(f"foreground of {fd}", lambda: os.tcgetpgrp(fd))
if control:
    sys.exit(10 if reached else 0)
for fd in (0, 1, 2):
    attempt(f"settings of {fd}", lambda: termios.tcsetattr(fd, termios.TCSANOW, termios.tcgetattr(fd)))
    attempt(f"be in front of {fd}", lambda: os.tcsetpgrp(fd, os.getpgrp()))
    attempt(f"own {fd}", lambda: fcntl.ioctl(fd, termios.TIOCSCTTY, 1))
    attempt(f"discard {fd}", lambda: termios.tcflush(fd, termios.TCIFLUSH))
    attempt(f"console to {fd}", lambda: fcntl.ioctl(fd, termios.TIOCCONS))
    attempt(f"discipline of {fd}", lambda: fcntl.ioctl(fd, termios.TIOCSETD, b"\0\0\0\0"))
for path in ("/dev/tty", "/dev/console", "/dev/pts/0", "/dev/pts/1", "/dev/pts/2"):  # before there are any of its own
    attempt(path, lambda: os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK)))
os.setpgid(0, 0) if os.getpgrp() != os.getpid() else None
near, far = os.openpty()  # which is nobody else's: with it in hand, those of its starter are as far as before
attempt("the other end of another", lambda: os.close(os.open("/proc/1/fd/0", os.O_RDWR | os.O_NONBLOCK)))
if os.ttyname(far) != "/dev/pts/0" or len(os.listdir("/dev/pts")) != 2:
    print("others are there: reached", os.listdir("/dev/pts"))
    reached += 1
if os.getsid(0) != os.getpid() or open("/proc/self/stat").read().rsplit(")", 1)[1].split()[4] != "0":
    print("session of somebody else: reached")
    reached += 1
sys.exit(10 if reached else 0)
