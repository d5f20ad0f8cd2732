#!/bin/sh
# setup.sh SET... - install what the sets need and this machine lacks, with Debian's apt-get
#
# Sets: make, build, test, demo, fuzz, vm, systems, and big: the languages of about 2 GB that the tests skip where they are not
# installed; with FUMEHOOD_TEST_BIG=1 in the environment they belong to test. Says nothing when nothing is missing. A row
# is a package and a file that shows that it, or something as good from elsewhere, is there; a star stands for the
# machine's library folder.
set -eu

packages() {
    case $1 in
    make) cat <<'END'
make            /usr/bin/make
END
        ;;
    build) cat <<'END'
gcc             /usr/bin/gcc
libc6-dev       /usr/include/stdio.h
cmake           /usr/bin/cmake
ninja-build     /usr/bin/ninja
pkg-config      /usr/bin/pkg-config
libjansson-dev  /usr/lib/*/libjansson.a
libyaml-dev     /usr/lib/*/libyaml.a
nettle-dev      /usr/lib/*/libnettle.a
libseccomp-dev  /usr/lib/*/libseccomp.a
zlib1g-dev      /usr/lib/*/libz.a
END
        ;;
    test) cat <<'END'
libcmocka-dev   /usr/include/cmocka.h
python3         /usr/bin/python3
python3-pytest  /usr/lib/python3/dist-packages/pytest
nodejs          /usr/bin/node
perl            /usr/bin/perl
bash            /bin/bash
strace          /usr/bin/strace
uidmap          /usr/bin/newuidmap
g++             /usr/bin/g++
make            /usr/bin/make
git             /usr/bin/git
sqlite3         /usr/bin/sqlite3
lua5.4          /usr/bin/lua5.4
bzip2           /usr/bin/bzip2
xz-utils        /usr/bin/xz
runc            /usr/sbin/runc
mmdebstrap      /usr/bin/mmdebstrap
python3-pexpect /usr/lib/python3/dist-packages/pexpect
python3-psutil  /usr/lib/python3/dist-packages/psutil
END
        [ "${FUMEHOOD_TEST_BIG:-}" != 1 ] || packages big
        ;;
    big) cat <<'END'
default-jdk-headless /usr/bin/javac
golang-go       /usr/bin/go
rustc           /usr/bin/rustc
ruby            /usr/bin/ruby
php-cli         /usr/bin/php
r-base-core     /usr/bin/Rscript
mono-mcs        /usr/bin/mcs
fp-compiler     /usr/bin/fpc
octave          /usr/bin/octave-cli
fontconfig      /usr/bin/fc-match
fonts-dejavu-core /usr/share/fonts/truetype/dejavu
python3-matplotlib /usr/lib/python3/dist-packages/matplotlib
python3-joblib  /usr/lib/python3/dist-packages/joblib
END
        ;;
    demo) cat <<'END'
python3         /usr/bin/python3
nodejs          /usr/bin/node
perl            /usr/bin/perl
END
        ;;
    fuzz) cat <<'END'
clang           /usr/bin/clang
END
        ;;
    vm) cat <<'END'
qemu-system-x86 /usr/bin/qemu-system-x86_64
busybox-static  /usr/share/doc/busybox-static
cpio            /usr/bin/cpio
lz4             /usr/bin/lz4
END
        ;;
    systems) cat <<'END'
qemu-system-x86 /usr/bin/qemu-system-x86_64
mmdebstrap      /usr/bin/mmdebstrap
e2fsprogs       /sbin/mke2fs
openssh-client  /usr/bin/ssh-keygen
python3         /usr/bin/python3
lz4             /usr/bin/lz4
xz-utils        /usr/bin/xz
zstd            /usr/bin/zstd
END
        ;;
    *)
        echo "setup.sh: unknown set $1 (use make, build, test, big, demo, fuzz, vm or systems)" >&2
        exit 2
        ;;
    esac
}

# Is there a file for the pattern? It is left unquoted on purpose: the star is expanded here.
is_there() {
    for found in $1; do
        [ -e "$found" ] && return 0
    done
    return 1
}

missing=
for set in "$@"; do
    rows=$(packages "$set")
    while read -r package file; do
        case " $missing " in *" $package "*) continue ;; esac
        is_there "$file" || missing="$missing $package"
    done <<END
$rows
END
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: not found:$missing (install them with this system's package manager)" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null 2>&1; then
    root=sudo
else
    echo "setup.sh: not found:$missing (as root: apt-get install$missing)" >&2
    exit 1
fi

# What is installed is for all users, whatever the starter's mask.
umask 022
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    $root env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1 </dev/null
}
echo "installing:$missing"
# The lists may be absent or old: then the first try fails, and the second has fresh ones.
# shellcheck disable=SC2086
if ! apt install --no-install-recommends $missing; then
    apt update || { cat "$log" >&2; exit 1; }
    apt install --no-install-recommends $missing || { cat "$log" >&2; exit 1; }
fi
