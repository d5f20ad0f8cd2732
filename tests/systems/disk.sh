#!/bin/sh
# disk.sh SUITE DIR - a stock system with systemd as a disk: DIR/disk, DIR/kernel, DIR/initrd, and DIR/key for its logins
#
# SUITE is bookworm (Debian 12), trixie (13), jammy (Ubuntu 22.04) or noble (24.04). Needs root, as packages are unpacked with
# their owners. It takes a minute or two, and is done once: what is there is kept until this script or packages.txt changes,
# or for 30 days. Status 77: something is missing here, and the last line says what.
#
#   FUMEHOOD_MIRROR   where packages of Debian come from; default: where this machine has its own, else deb.debian.org
#   FUMEHOOD_UBUNTU   host and folder, where packages of Ubuntu come from; default: archive.ubuntu.com/ubuntu
set -eu
here=$(cd "$(dirname "$0")" && pwd)
suite=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)

skip() {
    echo "disk.sh: skipped: $1"
    exit 77
}

need() {
    command -v "$1" >/dev/null 2>&1 || skip "$1 is not here (apt-get install $2)"
}

# own_sources SUITE: this machine's rows for packages of Debian, of the suite that is asked for: files, one a line
own_sources() {
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")
    number=0
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $file in *.list | *.sources) ;; *) continue ;; esac
        grep -q "debian" "$file" 2>/dev/null || continue
        number=$((number + 1))
        case $file in
        *.list) grep -E "^deb .* $release(-[a-z]+)? " "$file" ;;
        *.sources) grep -qE "^Suites:.*\b$release\b" "$file" && cat "$file" ;;
        esac | sed "s/\b$release\b/$1/g" >"$dir/sources-$number.${file##*.}"
        [ -s "$dir/sources-$number.${file##*.}" ] || continue
        echo "$dir/sources-$number.${file##*.}"
    done
}

# Ubuntu's key is in a package of Debian, since Debian 13: what Debian's key vouches for.
ubuntu_key() {
    key=usr/share/keyrings/ubuntu-archive-keyring.gpg
    if [ ! -e "/$key" ]; then
        # shellcheck disable=SC2046 # words
        unshare --mount mmdebstrap --quiet --variant=extract --include=ubuntu-keyring trixie "$dir/keys" \
            ${FUMEHOOD_MIRROR:-$(own_sources trixie)} >"$dir/packages.log" 2>&1 </dev/null || {
            tail -n 5 "$dir/packages.log" >&2
            return 1
        }
        cp "$dir/keys/$key" "$dir/ubuntu.gpg"
        rm -rf "$dir/keys"
        key=${dir#/}/ubuntu.gpg
    fi
    echo "/$key"
}

ubuntu_sources() {
    key=$(ubuntu_key) || return 1
    for part in "$suite" "$suite-updates"; do
        echo "deb [signed-by=$key] http://${FUMEHOOD_UBUNTU:-archive.ubuntu.com/ubuntu} $part main universe"
    done >"$dir/sources-1.list"
    echo "$dir/sources-1.list"
}

make_root() {
    case $suite in
    jammy | noble) sources=$(ubuntu_sources) || skip "Ubuntu's key is not here (apt-get install ubuntu-keyring)" ;;
    *) sources=${FUMEHOOD_MIRROR:-$(own_sources "$suite")} ;;
    esac
    packages=$(sed -E "/^#/d; s/^([a-z ]* )?$suite( [a-z ]*)?: //; /:/d" "$here/packages.txt" | tr -s ' \n' ',,')
    # The initrd gets what this machine's disk needs, since a slow processor unpacks it.
    # Its mounts are its own: other tests look for what is left of theirs.
    # shellcheck disable=SC2086,SC2016 # words; the hooks' own variable
    unshare --mount mmdebstrap --quiet --variant=important --include="${packages%,}" --aptopt='Apt::Install-Recommends "false"' \
        --setup-hook='mkdir -p "$1/etc/initramfs-tools/conf.d"' \
        --essential-hook='printf "MODULES=list\nCOMPRESS=lz4\n" >"$1/etc/initramfs-tools/conf.d/machine"' \
        --essential-hook='printf "virtio_pci\nvirtio_blk\next4\n" >"$1/etc/initramfs-tools/modules"' \
        "$suite" "$root" $sources >"$dir/packages.log" 2>&1 </dev/null || {
        tail -n 5 "$dir/packages.log"
        skip "no root of $suite's packages can be made (is the network there?)"
    }
}

# What an installer would have asked for. alice may do what people may on their own machine; bob is in no further group.
settle() {
    echo machine >"$root/etc/hostname"
    printf '127.0.0.1 localhost machine\n::1 localhost\n' >"$root/etc/hosts"
    printf '/dev/vda / ext4 errors=remount-ro 0 1\n' >"$root/etc/fstab"
    rm -f "$root/etc/resolv.conf"
    : >"$root/etc/resolv.conf"
    printf '[Match]\nName=e*\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\n' >"$root/etc/systemd/network/20-wired.network"
    chroot "$root" systemctl -q enable systemd-networkd ssh
    chroot "$root" systemctl -q disable apt-daily.timer apt-daily-upgrade.timer systemd-networkd-wait-online 2>/dev/null || true
    chroot "$root" useradd -m -s /bin/bash -G adm,sudo alice
    chroot "$root" useradd -m -s /bin/bash bob
    echo 'alice ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/alice"
    mkdir -p "$root/var/log/journal" "$root/opt/systems"
    chroot "$root" ssh-keygen -q -t ed25519 -N '' -f /root/.ssh-key
    for user in root alice bob; do
        home=$root/home/$user
        [ "$user" != root ] || home=$root/root
        mkdir -p "$home/.ssh"
        cp "$root/root/.ssh-key.pub" "$home/.ssh/authorized_keys"
        chmod 700 "$home/.ssh"
        chroot "$root" chown -R "$user:" "${home#"$root"}/.ssh"
    done
    mv "$root/root/.ssh-key" "$root/root/.ssh/id_ed25519"
    mv "$root/root/.ssh-key.pub" "$root/root/.ssh/id_ed25519.pub"
    printf 'UseDNS no\nPermitRootLogin prohibit-password\n' >"$root/etc/ssh/sshd_config.d/machine.conf"
    cp "$here/systems.service" "$root/etc/systemd/system/"
    chroot "$root" systemctl -q enable systems.service
}

# The ELF kernel starts at once; the compressed one would first unpack itself in the slow machine.
unpack_kernel() { # unpack_kernel VMLINUZ OUT
    # shellcheck disable=SC2013 # numbers
    for way in '\x02\x21\x4c\x18 lz4 -dcq' '\xfd7zXZ\x00 xz -dcq --single-stream' '\x28\xb5\x2f\xfd zstd -dcq'; do
        for at in $(LC_ALL=C grep -obUaP "${way%% *}" "$1" | cut -d : -f 1); do
            # What follows the kernel in the file is something else, of which the unpacker complains at the end.
            tail -c "+$((at + 1))" "$1" | ${way#* } >"$2" 2>/dev/null || true
            [ "$(head -c 4 "$2" | tail -c 3)" != ELF ] || return 0
        done
    done
    cp "$1" "$2"
}

make_disk() {
    set -- "$root"/boot/vmlinuz-*
    unpack_kernel "$1" "$dir/kernel"
    cp "$root"/boot/initrd.img-* "$dir/initrd"
    cp "$root/root/.ssh/id_ed25519" "$dir/key"
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "${root:?}"/boot/*
    rm -f "$dir/disk.new"
    truncate -s 4G "$dir/disk.new"
    mke2fs -q -t ext4 -d "$root" "$dir/disk.new"
    mv "$dir/disk.new" "$dir/disk"
}

case $suite in
bookworm | trixie | jammy | noble) ;;
*) echo "disk.sh: $suite is none of bookworm, trixie, jammy and noble" >&2; exit 2 ;;
esac
stamp=$(cat "$here/disk.sh" "$here/packages.txt" "$here/systems.service" | sha256sum | cut -c 1-64)
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ] && [ -n "$(find "$dir/disk" -mtime -30)" ]; then
    exit 0
fi
[ "$(id -u)" = 0 ] || skip "the disk of $suite is not built yet, which needs root"
need mmdebstrap mmdebstrap
need mke2fs e2fsprogs
need ssh-keygen openssh-client
rm -f "$dir/stamp"
root=$dir/root
rm -rf "$root" "$dir"/sources-* "$dir/keys"
trap 'rm -rf "$root" "$dir/keys"' EXIT
umask 022
make_root
settle
make_disk
echo "$stamp" >"$dir/stamp"
