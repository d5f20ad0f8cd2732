#!/bin/sh
# Fetches pages with whatever tool it finds, also through proxies that it names itself. If it worked, a program
# could ask the cloud for the machine's credentials. Bare, it asks the staged service only.
port=$1
reached=0

fetch() {
    python3 -c '
import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=1).read()' "$1" 2>/dev/null
}

attempt() {
    what=$1
    shift
    if "$@" >/dev/null 2>&1; then
        echo "$what: reached"
        reached=10
    else
        echo "$what: no"
    fi
}

if [ -n "$DRILL_CONTROL" ]; then
    fetch "http://127.0.0.1:$port/"
    exit 0
fi
for host in 169.254.169.254 169.254.169.254. metadata.google.internal instance-data "[fd00:ec2::254]" 2852039166 "127.0.0.1:$port"; do
    attempt "$host" fetch "http://$host/latest/meta-data/"
done
for tool in curl wget lynx; do
    command -v "$tool" >/dev/null && attempt "$tool" timeout 2 "$tool" "http://127.0.0.1:$port/"
done
export http_proxy="http://127.0.0.1:$port" https_proxy="http://127.0.0.1:$port" ALL_PROXY="socks5://127.0.0.1:$port"
attempt "by a proxy of its own" fetch http://drill.test/
command -v bash >/dev/null && attempt "bash" timeout 2 bash -c ": </dev/tcp/127.0.0.1/$port"
command -v bash >/dev/null && attempt "bash, udp" timeout 2 bash -c "echo x >/dev/udp/127.0.0.1/$port"
command -v perl >/dev/null && attempt "perl" perl -MIO::Socket::INET -e "IO::Socket::INET->new('127.0.0.1:$port') or exit 1"
command -v node >/dev/null && attempt "node" timeout 4 node -e "require('net').connect($port, '127.0.0.1', () => process.exit(0)).on('error', () => process.exit(1))"
exit $reached
