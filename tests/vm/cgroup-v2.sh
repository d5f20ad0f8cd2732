#!/bin/sh
# cgroup-v2.sh FUMEHOOD [SCRIPT] - run a script beside a static fumehood in a virtual machine that has cgroup v2 only
#
# Without SCRIPT it runs cgroup-v2-guest.sh, whose lines begin with "ok" or "not ok". The script's output goes to
# stdout, and its status becomes this one's; 77: something is missing here, and it says what; 99: the machine broke.
# The machine is emulated (no KVM is needed) and sees neither this machine's files nor a network.
#
#   FUMEHOOD_VM_KERNEL   an uncompressed x86-64 kernel; else Debian's cloud kernel is downloaded once
#   FUMEHOOD_VM_CACHE    where it is kept (default: build/vm beside this source)
#   FUMEHOOD_VM_EXTRA    a folder whose content is added to the machine's root
#   FUMEHOOD_VM_VERBOSE  1: the console's whole text on stderr
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${FUMEHOOD_VM_CACHE:-$here/../../build/vm}
timeout_s=300

skip() {
    echo "cgroup-v2.sh: skipped: $1" >&2
    exit 77
}

need() {
    command -v "$1" >/dev/null 2>&1 || skip "$1 is not here (apt-get install $2)"
}

# The ELF kernel starts at once; the compressed one would first unpack itself in the slow machine.
unpack_kernel() {
    need lz4 lz4
    at=$(LC_ALL=C grep -obUaP '\x02\x21\x4c\x18' "$1" | head -n 1 | cut -d : -f 1)
    [ -n "$at" ] || skip "the downloaded kernel is not lz4: name an unpacked one in FUMEHOOD_VM_KERNEL"
    # What follows the kernel in the file is no lz4, so lz4 complains at the end.
    tail -c +"$((at + 1))" "$1" | lz4 -dcq >"$2.new" 2>/dev/null || true
    [ "$(head -c 4 "$2.new" | tail -c 3)" = ELF ] || skip "the downloaded kernel could not be unpacked"
    mv "$2.new" "$2"
}

get_kernel() {
    if [ -n "${FUMEHOOD_VM_KERNEL:-}" ]; then
        kernel=$FUMEHOOD_VM_KERNEL
        [ -r "$kernel" ] || skip "no kernel at $kernel"
        return
    fi
    kernel=$cache/vmlinux
    [ -s "$kernel" ] && return
    need apt-get apt
    mkdir -p "$cache"
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: //p' | head -n 1)
    [ -n "$package" ] || skip "no cloud kernel among the known packages (apt-get update)"
    (cd "$cache" && apt-get download -q "$package" >/dev/null 2>&1) || skip "$package could not be downloaded"
    dpkg -x "$cache/$package"_*.deb "$cache/package"
    unpack_kernel "$cache"/package/boot/vmlinuz-* "$kernel"
    rm -rf "$cache/package" "$cache/$package"_*.deb
}

# A root with busybox as every tool, fumehood and the script.
make_root() {
    root=$work/root
    mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/run" "$root/root" \
        "$root/etc" "$root/new" "$root/var/tmp"
    for name in bin sbin usr/sbin; do
        ln -s /usr/bin "$root/$name"
    done
    for name in lib lib64; do
        ln -s /usr/lib "$root/$name"
    done
    cp "$busybox" "$root/usr/bin/busybox"
    for name in $("$busybox" --list); do
        [ "$name" = busybox ] || ln -s busybox "$root/usr/bin/$name"
    done
    cp "$1" "$root/usr/bin/fumehood"
    cp "$here/init.sh" "$root/init"
    cp "$2" "$root/script.sh"
    chmod 755 "$root/init" "$root/script.sh" "$root/usr/bin/fumehood"
    printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
    printf 'root:x:0:\n' >"$root/etc/group"
    if [ -n "${FUMEHOOD_VM_EXTRA:-}" ]; then
        cp -a "$FUMEHOOD_VM_EXTRA/." "$root/"
    fi
    (cd "$root" && find . | cpio -o -H newc --quiet) >"$work/root.cpio"
}

boot() {
    mhz=$(sed -n 's/^cpu MHz.*: *\([0-9]*\).*/\1/p' /proc/cpuinfo | head -n 1)
    append="console=ttyS0 reboot=t panic=-1 quiet loglevel=1 cgroup_no_v1=all"
    [ -z "$mhz" ] || append="$append tsc_early_khz=$((mhz * 1000))"
    timeout -k 5 "$timeout_s" qemu-system-x86_64 -M microvm -accel tcg,thread=multi -cpu max -smp 2 -m 1024 \
        -nodefaults -no-user-config -display none -no-reboot -serial "file:$work/console" \
        -kernel "$kernel" -initrd "$work/root.cpio" -append "$append" </dev/null >"$work/qemu" 2>&1 || true
}

report() {
    tr -d '\r' <"$work/console" >"$work/text"
    [ "${FUMEHOOD_VM_VERBOSE:-}" != 1 ] || cat "$work/text" >&2
    sed -n '/^VM-BEGIN$/,/^VM-END /p' "$work/text" | grep -v -e '^VM-BEGIN$' -e '^VM-END ' || true
    status=$(sed -n 's/^VM-END \([0-9]*\)$/\1/p' "$work/text" | tail -n 1)
    if [ -z "$status" ]; then
        echo "cgroup-v2.sh: the machine ended before the script did:" >&2
        tail -n 20 "$work/text" "$work/qemu" >&2
        exit 99
    fi
    exit "$status"
}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: cgroup-v2.sh FUMEHOOD [SCRIPT]" >&2
    exit 2
fi
script=${2:-$here/cgroup-v2-guest.sh}
if [ ! -x "$1" ] || [ ! -r "$script" ]; then
    echo "cgroup-v2.sh: no program at $1, or no script at $script" >&2
    exit 2
fi
[ "$(uname -m)" = x86_64 ] || skip "the machine's kernel is for x86-64"
need qemu-system-x86_64 qemu-system-x86
need cpio cpio
busybox=$(command -v busybox || true)
if [ -z "$busybox" ] || ldd "$busybox" >/dev/null 2>&1; then
    skip "busybox is not here, or not static (apt-get install busybox-static)"
fi
get_kernel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_root "$1" "$script"
boot
report
