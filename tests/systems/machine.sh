#!/bin/sh
# machine.sh FUMEHOOD SUITE [short|long] - try a fumehood on a stock system with systemd, in an emulated machine
#
# SUITE as in disk.sh. FUMEHOOD is in a build folder, with the attacks beside it. The machine runs guest.sh: lines "ok NAME",
# "not ok NAME: SEEN" and "skip NAME: WHY" on stdout as they come. Status 0: all ok; 1: not all; 77: something is missing
# here, and the last line says what; 99: the machine broke. It has no network and sees none of this machine's files.
#
#   FUMEHOOD_SYSTEMS_CACHE   where the disks are kept (default: build/systems beside this source)
#   FUMEHOOD_SYSTEMS_ONLY    cases by name, such as 'limits_*'; then no drill, examples and task sets
#   FUMEHOOD_SYSTEMS_PORT    a port of 127.0.0.1: the machine stays up after the cases, and can be entered there:
#                            ssh -i CACHE/SUITE/key -p PORT root@127.0.0.1 (or alice, bob); systemctl poweroff ends it
#   FUMEHOOD_DATA            a folder with human-eval/HumanEval.jsonl.gz: it is evaluated too
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=${FUMEHOOD_SYSTEMS_CACHE:-$top/build/systems}
port=${FUMEHOOD_SYSTEMS_PORT:-}

skip() {
    echo "machine.sh: skipped: $1"
    exit 77
}

# A second disk: the program, and what it is tried on.
make_payload() {
    payload=$work/payload
    mkdir "$payload"
    cp -aL "$1" "$payload/fumehood"
    cp -aL "$(dirname "$1")/attacks" "$top/examples" "$top/scripts/demo.py" "$here/guest.sh" "$here/session.sh" "$here/drill.py" \
        "$here/lib.sh" "$here/cases" "$payload/"
    if [ -n "${FUMEHOOD_DATA:-}" ]; then
        cp -L "$FUMEHOOD_DATA/human-eval/HumanEval.jsonl.gz" "$payload/" || skip "no human-eval below FUMEHOOD_DATA"
    fi
    printf "length='%s'\nonly='%s'\nstay='%s'\n" "$length" "${FUMEHOOD_SYSTEMS_ONLY:-}" "$port" >"$payload/order"
    chmod -R a+rX "$payload"
    truncate -s 400M "$work/payload.ext4"
    mke2fs -q -t ext4 -O ^has_journal -E root_owner=0:0 -d "$payload" "$work/payload.ext4"
}

boot() {
    # QEMU 7.2 emulates a far return in user mode as the kernel's access, which SMAP forbids. Where the kernel is not told
    # the processor's speed it measures it, and may hang where the measuring machine is loaded; and it would leave the
    # processor's clock for one that is emulated as a device.
    # With ERMS it clears and copies pages byte by byte, which an emulation does four times slower. What is at a random
    # address is translated anew for each process, which is half of all the work.
    # Huge pages are set aside for the attack that wants them.
    mhz=$(sed -n 's/^cpu MHz.*: *\([0-9]*\).*/\1/p' /proc/cpuinfo | head -n 1)
    timeout -k 5 "$timeout_s" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu "max,-smap,-erms" -smp 2 -m 2560 \
        -nodefaults -no-user-config -display none -no-reboot -serial "file:$work/console" -serial "file:$work/results" \
        -kernel "$disk/kernel" -initrd "$disk/initrd" \
        -append "root=/dev/vda rw console=ttyS0 quiet panic=-1 hugepages=16 norandmaps tsc=reliable ${mhz:+tsc_early_khz=${mhz}000}" \
        -drive "file=$disk/disk,if=none,id=d,format=raw,snapshot=on" -device virtio-blk-pci,drive=d \
        -drive "file=$work/payload.ext4,if=none,id=p,format=raw,readonly=on" -device virtio-blk-pci,drive=p \
        -netdev "user,id=n,restrict=on${port:+,hostfwd=tcp:127.0.0.1:$port-:22}" -device virtio-net-pci,netdev=n \
        -device virtio-rng-pci >"$work/qemu.log" 2>&1 </dev/null &
    qemu=$!
}

# Lines as they come, until the machine is off.
follow() {
    : >>"$work/results"
    tail -n +1 -s 1 --pid="$qemu" -f "$work/results" | sed -u -e 's/\r$//' -e '/^END /{w '"$work/end"'
        d}'
    wait "$qemu" || true
    status=$(sed -n 's/^END //p' "$work/end")
    if [ -z "$status" ]; then
        echo "machine.sh: the machine ended before its tests did:"
        tail -n 20 "$work/console" "$work/qemu.log"
        exit 99
    fi
    exit "$status"
}

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    echo "usage: machine.sh FUMEHOOD SUITE [short|long]" >&2
    exit 2
fi
suite=$2
length=${3:-long}
timeout_s=9000
[ "$length" = long ] || timeout_s=1800
[ -z "$port" ] || timeout_s=86400
if [ ! -x "$1" ]; then
    echo "machine.sh: no program at $1 (run make first)" >&2
    exit 2
fi
[ "$(uname -m)" = x86_64 ] || skip "the machine's kernel is for x86-64"
command -v qemu-system-x86_64 >/dev/null 2>&1 || skip "qemu-system-x86_64 is not here (apt-get install qemu-system-x86)"
command -v mke2fs >/dev/null 2>&1 || skip "mke2fs is not here (apt-get install e2fsprogs)"
disk=$cache/$suite
"$here/disk.sh" "$suite" "$disk"
work=$(mktemp -d)
qemu=
end() {
    [ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 143' TERM HUP INT
make_payload "$1"
boot
follow
