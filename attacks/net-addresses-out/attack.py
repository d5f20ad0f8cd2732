# Connects to addresses beyond its own loopback in all the spellings that C libraries take. None has a route in a
# cage. If it worked, cloud credentials and the neighbours' networks would be in reach. Bare, it calls the staged
# service only.
import errno
import os
import socket
import sys

port = int(sys.argv[1])
HERE = ["2130706433", "0x7f000001", "017700000001", "127.1", "0177.0.0.1", "0x7f.1"]
OUT = ["169.254.169.254", "2852039166", "0xA9FEA9FE", "0251.0376.0251.0376", "169.254.43518", "012.0.0.1", "10.0.0.1",
       "100.64.0.1", "172.16.0.1", "192.168.0.1", "192.0.2.1", "198.51.100.7", "224.0.0.251", "255.255.255.255", "240.0.0.1"]
OUT6 = ["fd00:ec2::254", "fe80::1", "2001:db8::1", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1", "fec0::1", "ff02::1", "::169.254.169.254"]
control = os.environ.get("DRILL_CONTROL")
reached, answers = 0, {}


def attempt(what, family, kind, address):
    global reached
    try:
        with socket.socket(family, kind) as s:
            s.settimeout(0.5)
            s.connect(address)
        print(what, "reached")
        reached += 1
    except OSError as why:
        name = errno.errorcode.get(why.errno, str(why))
        answers[name] = answers.get(name, 0) + 1


for host in HERE:
    attempt(host, socket.AF_INET, socket.SOCK_STREAM, (socket.inet_ntoa(socket.inet_aton(host)), port))
if control:
    print(answers)
    sys.exit(10 if reached else 0)
for host in OUT:
    for number in (53, 80, 443, port):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            attempt(f"{host}:{number}", socket.AF_INET, kind, (socket.inet_ntoa(socket.inet_aton(host)), number))
for host in OUT6:
    for scope in (0, 1, 2):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            attempt(f"{host}%{scope}", socket.AF_INET6, kind, (host, 80, 0, scope))
print(answers)
sys.exit(10 if reached else 0)
